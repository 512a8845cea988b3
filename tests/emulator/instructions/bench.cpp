// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "bench.hpp"

#include "decode/text.hpp"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace instructions {
namespace {

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string descriptor(const std::string& name, const kernel_options& o) {
    std::string d = ".amdhsa_kernel " + name + "\n";
    const auto line = [&](const std::string& what, unsigned value) {
        d += "  .amdhsa_" + what + " " + std::to_string(value) + "\n";
    };
    line("group_segment_fixed_size", o.lds_bytes);
    line("private_segment_fixed_size", o.scratch_bytes);
    line("enable_private_segment", o.scratch_bytes ? 1 : 0);
    line("kernarg_size", o.kernarg_bytes);
    line("user_sgpr_kernarg_segment_ptr", 1);
    line("user_sgpr_count", 2);
    line("system_vgpr_workitem_id", o.workitem_dimensions);
    line("system_sgpr_workgroup_id_y", 1);
    line("system_sgpr_workgroup_id_z", 1);
    line("wavefront_size32", 1);
    line("next_free_vgpr", o.vgprs);
    line("next_free_sgpr", 100);
    line("float_denorm_mode_32", 3);
    line("float_denorm_mode_16_64", 3);
    return d + ".end_amdhsa_kernel\n";
}

std::string metadata_of(const std::string& name, const kernel_options& o) {
    return "  - .name: " + name + "\n    .symbol: " + name +
           ".kd\n    .kernarg_segment_size: " + std::to_string(o.kernarg_bytes) +
           "\n    .group_segment_fixed_size: " + std::to_string(o.lds_bytes) +
           "\n    .private_segment_fixed_size: " + std::to_string(o.scratch_bytes) +
           "\n    .kernarg_segment_align: 8\n    .wavefront_size: 32\n    .sgpr_count: 100\n"
           "    .vgpr_count: " +
           std::to_string(o.vgprs) + "\n    .max_flat_workgroup_size: 1024\n    .args: []\n";
}

} // namespace

void workbench::add(const std::string& name, const std::string& body, const kernel_options& o) {
    text_ += ".text\n.globl " + name + "\n.p2align 8\n.type " + name + ",@function\n" + name +
             ":\n" + body + "\n  s_endpgm\n.L" + name + "_end:\n.size " + name + ", .L" + name +
             "_end-" + name + "\n.section .rodata,\"a\",@progbits\n.p2align 6\n" +
             descriptor(name, o);
    metadata_ += metadata_of(name, o);
}

bool workbench::build() {
    std::string folder =
        (std::filesystem::temp_directory_path() / "r9v-instructions-XXXXXX").string();
    if (!mkdtemp(folder.data())) return false;
    const std::filesystem::path base = folder;
    const std::string target = "amdgcn-amd-amdhsa--" + processor_;
    std::ofstream(base / "k.s") << ".amdgcn_target \"" << target << "\"\n"
                                << ".amdhsa_code_object_version 5\n"
                                << text_ << ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\n"
                                << "amdhsa.target: " << target << "\namdhsa.kernels:\n"
                                << metadata_ << "...\n.end_amdgpu_metadata\n";
    const std::string in = "'" + (base / "k").string();
    const std::string command =
        R9V_TEST_CLANG " -x assembler -target amdgcn-amd-amdhsa -mcpu=" + processor_ + " -o " + in +
        ".co' " + in + ".s' 2> " + in + ".log'";
    const int status = std::system(command.c_str());
    const std::string image = read_text(base / "k.co"), log = read_text(base / "k.log");
    std::filesystem::remove_all(base);
    EXPECT_EQ(status, 0) << log;
    if (status != 0) return false;
    const auto* first = reinterpret_cast<const std::byte*>(image.data());
    object_ = std::make_unique<loader::code_object>(
        device_, std::vector<std::byte>(first, first + image.size()));
    return true;
}

const kernel_image& workbench::kernel(const std::string& name) const {
    return object_->kernel(name)->image;
}

launch_result workbench::run(const std::string& name, u32 blocks, u32 threads,
                             const std::vector<u32>& arguments, const execution_options& options) {
    const u64 buffer = upload(arguments, "arguments");
    launch_request request;
    request.kernel = &kernel(name);
    request.blocks[0] = blocks;
    request.threads[0] = threads;
    request.kernarg = buffer;
    execution_options recorded = options;
    recorded.profile = true;
    launch_result result = execute(device_, request, recorded);
    note_executed(request.kernel->isa, result);
    device_.release(buffer);
    return result;
}

void note_executed(generation isa, const launch_result& result) {
    for (const instruction_profile& entry : result.profile) {
        std::string_view text = entry.text;
        while (!text.empty()) {
            const std::size_t middle = text.find(" :: "); // pairs
            executed(isa).insert(split_instruction(text.substr(0, middle)).mnemonic);
            text = middle == text.npos ? std::string_view{} : text.substr(middle + 4);
        }
    }
}

std::set<std::string, std::less<>>& executed(generation isa) {
    static std::set<std::string, std::less<>> names[2];
    return names[static_cast<unsigned>(isa)];
}

std::vector<u32> addresses(std::initializer_list<u64> list) {
    std::vector<u32> words;
    for (const u64 address : list) {
        words.push_back(static_cast<u32>(address));
        words.push_back(static_cast<u32>(address >> 32));
    }
    return words;
}

std::string describe(const std::vector<fault>& faults) {
    std::string text;
    for (const fault& f : faults)
        text += f.text();
    return text;
}

unsigned fuzz_rounds() {
    const char* const long_run = std::getenv("R9V_LONG");
    return long_run && *long_run == '1' ? 40 : 1;
}

float from_half(u32 h) {
    const int exponent = static_cast<int>(h >> 10 & 31), fraction = static_cast<int>(h & 1023);
    double x = 0;
    if (exponent == 31)
        x = fraction ? std::nan("") : INFINITY;
    else if (exponent)
        x = std::ldexp(1024 + fraction, exponent - 25);
    else
        x = std::ldexp(fraction, -24);
    return static_cast<float>(h & 0x8000 ? -x : x);
}

u16 round_to_half(double x) {
    const u16 sign = std::signbit(x) ? 0x8000 : 0;
    const double magnitude = std::fabs(x);
    if (x != x) return static_cast<u16>(sign | 0x7e00);
    if (magnitude >= 65520) return static_cast<u16>(sign | 0x7c00);
    u32 low = 0, high = 0x7c00; // half codes grow with their value
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        (static_cast<double>(from_half(middle)) <= magnitude ? low : high) = middle;
    }
    const double below = static_cast<double>(from_half(low));
    const double above = high == 0x7c00 ? 65536.0 : static_cast<double>(from_half(high));
    const double down = magnitude - below, up = above - magnitude;
    const u32 nearest = down < up || (down == up && low % 2 == 0) ? low : high;
    return static_cast<u16>(sign | nearest);
}

} // namespace instructions
