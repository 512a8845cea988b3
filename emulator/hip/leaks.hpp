// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a program never freed, said when it ends.
#pragma once

#include "device/memory.hpp"

namespace r9v_emulator::hip {

/// Prints the program's own allocations that are live, the largest first. Their number.
std::size_t report_leaks(const memory& device);

} // namespace r9v_emulator::hip
