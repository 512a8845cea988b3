// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Reports: the text of a fault, and the source line of a code address.
#pragma once

#include "../device/launch.hpp"
#include <cstdint>
#include <string>

namespace r9v_emulator {

/// "file:line" by llvm-symbolizer, or empty where there is no line table or no symbolizer.
std::string source_line(const kernel_image& kernel, std::uint64_t pc);

} // namespace r9v_emulator
