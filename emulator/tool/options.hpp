// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The command line of r9v-emulator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator::tool {

/// The command line says something that cannot be done; the text is for its writer.
struct wrong_usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a buffer holds before the first launch.
enum class filling { zero, f32, f16, bf16, bytes, index };

struct argument {
    bool buffer = false;
    std::size_t bytes = 0; ///< of the buffer, or of the value
    filling fill = filling::zero;
    std::array<std::byte, 8> value{};
    std::string text; ///< as written
};

struct options {
    bool list = false; ///< list the kernels, do not run
    std::string file, kernel;
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
    unsigned lds_bytes = 0, repeat = 1;
    std::string device, report = "text", output;
    std::vector<argument> arguments;
    int print = -1; ///< number of the buffer whose beginning is printed afterwards
    bool help = false;
};

/// "buffer:4M:f16", "i32:7", "f32:0.5" and so on.
argument parse_argument(std::string_view text);
options parse(const std::vector<std::string>& words);
const char* usage();

} // namespace r9v_emulator::tool
