// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// From the text of one instruction to an op: operands become indices and constants, modifiers bits.
#pragma once

#include "text.hpp"

namespace r9v_emulator {

/// Fills `to` (all but `fn` and `advance`). `encoding` is the first dword of the instruction.
/// False when an operand or a modifier is not understood.
bool bind(const instruction_text& text, const instruction& info, u32 encoding, op& to);
bool bind_memory(const instruction_text& text, u32 encoding, op& to);
bool bind_modifiers(const instruction_text& text, op& to);
bool bind_source(std::string_view text, kind k, int position, op& to);
bool bind_destination(std::string_view text, u16& index);
void clear_op(op& to);

} // namespace r9v_emulator
