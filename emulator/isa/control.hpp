// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

#include "instruction.hpp"

namespace r9v_emulator {

void unknown_instruction(wave& w, const op& o);
/// The text is one of the instructions that only graphics needs, which no compute kernel holds.
bool is_graphics(std::string_view text);
void do_nothing(wave& w, const op& o);
const instruction* no_operation();
void run_pair(wave& w, const op& o);
void run_pair_strict(wave& w, const op& o);

} // namespace r9v_emulator
