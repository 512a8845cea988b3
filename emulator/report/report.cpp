// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "report.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace r9v_emulator {
namespace {

std::string hex(std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

/// Writes the ELF image to a file of its own; empty when that fails.
std::string written_object(const kernel_image& kernel) {
    std::string path = (std::filesystem::temp_directory_path() / "r9v-object-XXXXXX").string();
    const int file = mkstemp(path.data());
    if (file < 0) return {};
    const auto* bytes = static_cast<const char*>(kernel.object_bytes);
    std::uint64_t done = 0;
    while (done < kernel.object_size) {
        const ssize_t n = ::write(file, bytes + done, kernel.object_size - done);
        if (n <= 0) break;
        done += static_cast<std::uint64_t>(n);
    }
    ::close(file);
    return path;
}

std::string run_symbolizer(const std::string& object, std::uint64_t address) {
    for (const char* tool : {"llvm-symbolizer-19", "/usr/lib/llvm-19/bin/llvm-symbolizer"}) {
        const std::string command = std::string(tool) + " --obj='" + object +
                                    "' --functions=none --no-inlines " + hex(address) +
                                    " 2>/dev/null";
        FILE* pipe = popen(command.c_str(), "r");
        if (!pipe) continue;
        char line[1024] = "";
        const bool got = std::fgets(line, sizeof line, pipe) != nullptr;
        pclose(pipe);
        std::string text = got ? line : "";
        while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
            text.pop_back();
        if (!text.empty()) return text.starts_with("??") ? std::string{} : text;
    }
    return {};
}

} // namespace

std::string source_line(const kernel_image& kernel, std::uint64_t pc) {
    const std::uint64_t address = pc - kernel.load_bias;
    if (!kernel.object_path.empty() && std::filesystem::exists(kernel.object_path))
        return run_symbolizer(kernel.object_path, address);
    if (!kernel.object_bytes || !kernel.object_size) return {};
    const std::string path = written_object(kernel);
    if (path.empty()) return {};
    std::string line = run_symbolizer(path, address);
    std::filesystem::remove(path);
    return line;
}

std::string fault::text() const {
    std::string out = "r9v-emulator: " + kind + " in kernel " + kernel + "\n";
    out += "  instruction  " + instruction + "  at " + hex(pc);
    if (!source.empty()) out += "  (" + source + ")";
    out += "\n  block (" + std::to_string(block[0]) + ", " + std::to_string(block[1]) + ", " +
           std::to_string(block[2]) + ")";
    if (wave >= 0) out += "  wave " + std::to_string(wave);
    if (lane >= 0) out += "  lane " + std::to_string(lane);
    if (address) out += "  address " + hex(address);
    if (!detail.empty()) out += "\n  " + detail;
    return out + "\n";
}

} // namespace r9v_emulator
