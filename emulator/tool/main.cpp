// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// r9v-emulator: runs a kernel of any code object and reports what the clock says of it.
#include "hip/module.hpp"
#include "options.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace r9v_emulator::tool {
namespace {

constexpr int status_usage = 64, status_failed = 1;

void check(hipError_t error, const std::string& what) {
    if (error == hipSuccess) return;
    throw std::runtime_error(what + ": " + hipGetErrorString(error));
}

/// The card whose code the file holds, by the machine in the flags of its ELF header.
const char* card_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    unsigned char header[64] = {};
    file.read(reinterpret_cast<char*>(header), sizeof header);
    if (!file) throw wrong_usage("the code object " + path + " cannot be read");
    constexpr unsigned flags_at = 48, gfx1100 = 0x41, gfx1200 = 0x48;
    const bool elf = std::memcmp(header, "\177ELF", 4) == 0;
    if (elf && header[flags_at] == gfx1100) return "7900xtx";
    return elf && header[flags_at] == gfx1200 ? "9060xt" : "9070xt";
}

std::vector<std::byte> contents(const argument& a, unsigned seed) {
    std::vector<std::byte> out(a.bytes);
    std::minstd_rand bits(seed + 1);
    const auto value = [&] {
        return static_cast<float>(bits() % 2001) / 1000.0f - 1.0f;
    };
    const auto fill = [&](auto make) {
        for (std::size_t n = 0; n + sizeof(make(n)) <= out.size(); n += sizeof(make(n))) {
            const auto v = make(n / sizeof(make(n)));
            std::memcpy(&out[n], &v, sizeof v);
        }
    };
    __extension__ typedef _Float16 half;
    if (a.fill == filling::f32) fill([&](std::size_t) { return value(); });
    if (a.fill == filling::f16) fill([&](std::size_t) { return static_cast<half>(value()); });
    if (a.fill == filling::bytes)
        fill([&](std::size_t) { return static_cast<std::uint8_t>(bits() >> 8); });
    if (a.fill == filling::index)
        fill([&](std::size_t n) { return static_cast<std::uint32_t>(n); });
    if (a.fill == filling::bf16)
        fill([&](std::size_t) {
            const float v = value();
            std::uint32_t word;
            std::memcpy(&word, &v, sizeof word);
            return static_cast<std::uint16_t>(word >> 16);
        });
    return out;
}

class loaded_code {
public:
    explicit loaded_code(const std::string& path) {
        check(hipModuleLoad(&handle_, path.c_str()), "loading " + path);
    }
    ~loaded_code() { static_cast<void>(hipModuleUnload(handle_)); }
    loaded_code(const loaded_code&) = delete;
    loaded_code& operator=(const loaded_code&) = delete;

    std::vector<const kernel_image*> kernels() const {
        return reinterpret_cast<hip::module*>(handle_)->kernels();
    }
    hipFunction_t find(const std::string& name) const {
        std::vector<const kernel_image*> found;
        for (const kernel_image* k : kernels()) {
            if (k->name == name) return function_of(*k);
            if (k->display_name.find(name) != name.npos) found.push_back(k);
        }
        if (found.size() == 1) return function_of(*found.front());
        throw wrong_usage(std::to_string(found.size()) + " kernels are called \"" + name +
                          "\"; r9v-emulator kernels FILE lists them");
    }
    hipFunction_t function_of(const kernel_image& k) const {
        hipFunction_t function = nullptr;
        check(hipModuleGetFunction(&function, handle_, k.name.c_str()), k.name);
        return function;
    }

private:
    hipModule_t handle_ = nullptr;
};

const loader::kernel_metadata& metadata_of(hipFunction_t function) {
    return reinterpret_cast<hip::function*>(function)->kernel->metadata;
}

void list(const loaded_code& code) {
    for (const kernel_image* k : code.kernels()) {
        std::printf("%s\n  symbol %s\n  %u VGPRs, %u SGPRs, %u B LDS, %u B scratch, at most %u "
                    "threads\n  arguments, bytes:",
                    k->display_name.c_str(), k->name.c_str(), k->vgprs, k->sgprs, k->lds_bytes,
                    k->scratch_bytes, k->max_threads);
        for (const auto& a : metadata_of(code.function_of(*k)).arguments)
            std::printf(" %u", a.size);
        std::printf("\n");
    }
}

void check_arguments(const options& o, hipFunction_t function) {
    const auto& expected = metadata_of(function).arguments;
    if (expected.size() != o.arguments.size())
        throw wrong_usage("the kernel takes " + std::to_string(expected.size()) +
                          " arguments, not " + std::to_string(o.arguments.size()));
    for (std::size_t n = 0; n < expected.size(); ++n) {
        const std::size_t given = o.arguments[n].buffer ? 8 : o.arguments[n].bytes;
        if (given != expected[n].size)
            throw wrong_usage("argument " + std::to_string(n) + " has " +
                              std::to_string(expected[n].size) + " bytes, " + o.arguments[n].text +
                              " has " + std::to_string(given));
    }
    if (o.print >= 0 && (static_cast<std::size_t>(o.print) >= o.arguments.size() ||
                         !o.arguments[static_cast<std::size_t>(o.print)].buffer))
        throw wrong_usage("--print " + std::to_string(o.print) + " is no buffer");
}

void print_values(const argument& a, const void* device) {
    std::vector<float> values(std::min<std::size_t>(a.bytes / 4, 16));
    check(hipMemcpy(values.data(), device, values.size() * 4, hipMemcpyDeviceToHost), "reading");
    std::printf("%s:", a.text.c_str());
    for (const float v : values) {
        std::uint32_t bits;
        std::memcpy(&bits, &v, sizeof bits);
        std::printf(" %g (0x%08x)", static_cast<double>(v), bits);
    }
    std::printf("\n");
}

void run(const options& o, const loaded_code& code) {
    const hipFunction_t kernel = code.find(o.kernel);
    check_arguments(o, kernel);
    std::vector<argument> arguments = o.arguments;
    std::vector<void*> buffers(arguments.size()), pointers;
    for (std::size_t n = 0; n < arguments.size(); ++n) {
        argument& a = arguments[n];
        if (a.buffer) {
            check(hipMalloc(&buffers[n], a.bytes), "allocating " + a.text);
            const auto host = contents(a, static_cast<unsigned>(n));
            check(hipMemcpy(buffers[n], host.data(), a.bytes, hipMemcpyHostToDevice), a.text);
            std::memcpy(a.value.data(), &buffers[n], sizeof(void*));
        }
        pointers.push_back(a.value.data());
    }
    for (unsigned n = 0; n < o.repeat; ++n)
        check(hipModuleLaunchKernel(kernel, o.grid[0], o.grid[1], o.grid[2], o.block[0], o.block[1],
                                    o.block[2], o.lds_bytes, nullptr, pointers.data(), nullptr),
              "launching " + o.kernel);
    check(hipDeviceSynchronize(), "running " + o.kernel);
    if (o.print >= 0) {
        const auto n = static_cast<std::size_t>(o.print);
        print_values(arguments[n], buffers[n]);
    }
    for (void* b : buffers)
        static_cast<void>(hipFree(b));
}

int main(const options& o) {
    if (o.help) {
        std::fputs(usage(), stdout);
        return 0;
    }
    // Before the runtime is there, which reads them when it is first called.
    setenv("R9V_EMULATOR_DEVICE", o.device.empty() ? card_of(o.file) : o.device.c_str(), 1);
    if (!o.list) setenv("R9V_EMULATOR_REPORT", o.report.c_str(), 1);
    if (!o.output.empty()) setenv("R9V_EMULATOR_REPORT_FILE", o.output.c_str(), 1);
    const loaded_code code(o.file);
    if (o.list)
        list(code);
    else
        run(o, code);
    return 0;
}

} // namespace
} // namespace r9v_emulator::tool

int main(int argc, char** argv) {
    using namespace r9v_emulator::tool; // NOLINT(google-build-using-namespace)
    try {
        return r9v_emulator::tool::main(parse({argv + 1, argv + argc}));
    } catch (const wrong_usage& error) {
        std::fprintf(stderr, "r9v-emulator: %s.\n\n%s", error.what(), usage());
        return status_usage;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "r9v-emulator: %s.\n", error.what());
        return status_failed;
    }
}
