// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An instruction's text, split into mnemonic, operands and modifiers; and operands read from it.
#pragma once

#include "../isa/instruction.hpp"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace r9v_emulator {

struct instruction_text {
    std::string mnemonic; ///< without _e32, _e64, _dpp
    std::vector<std::string_view> operands;
    std::vector<std::string_view> modifiers; ///< "offset:16", "clamp", "dpp8:[...]", ...

    bool has(std::string_view modifier) const;
    /// Text after "name:", if that modifier is there.
    std::optional<std::string_view> value(std::string_view name) const;
};

/// Splits one instruction (half of a VOPD pair counts as one). The views point into `text`.
instruction_text split_instruction(std::string_view text);

struct operand {
    enum class type : u8 { none, vector, scalar, integer, real } what = type::none;
    unsigned number = 0; ///< first register
    unsigned count = 1;
    i64 integer = 0;
    double real = 0;
    bool hexadecimal = false;
    bool negated = false, absolute = false;
    bool upper_half = false; ///< v4.h
};

std::optional<operand> parse_operand(std::string_view text);
/// Bits that a constant has as an operand of this kind.
u64 constant_bits(const operand& value, kind k);
std::optional<i64> parse_integer(std::string_view text);

} // namespace r9v_emulator
