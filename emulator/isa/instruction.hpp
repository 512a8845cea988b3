// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the decoder knows of an instruction: its name, how its operands are written, and the two
// functions (plain and strict) that execute it. isa/*.cpp hold the tables.
#pragma once

#include "../device/launch.hpp"
#include "../wave/op.hpp"
#include <span>
#include <string_view>

namespace r9v_emulator {

/// How the decoder reads the operands of the text.
enum class format : u8 {
    vector,     ///< vdst [, sdst], src...
    scalar_alu, ///< sdst, ssrc...   (no dst for compares)
    scalar_memory,
    memory_global,
    memory_flat,
    memory_scratch,
    memory_buffer,
    memory_lds,
    branch,    ///< simm16 from the encoding
    immediate, ///< simm16 from the encoding, no registers
    dual       ///< v_dual_* : half of a VOPD pair
};

/// Type of an operand: how wide it is, how an inline constant and a modifier act on it.
enum class kind : u8 {
    none,
    b32,
    s32,
    f32,
    b16,
    f16,
    bf16,
    b64,
    s64,
    f64,
    packed_f16,
    packed_bf16,
    packed_b16,
    mask,
    simm16,
    wide3,
    wide4,
    wide8,
    wide16
};

constexpr unsigned words_of(kind k) {
    switch (k) {
    case kind::none:
        return 0;
    case kind::b64:
    case kind::s64:
    case kind::f64:
        return 2;
    case kind::wide3:
        return 3;
    case kind::wide4:
        return 4;
    case kind::wide8:
        return 8;
    case kind::wide16:
        return 16;
    default:
        return 1;
    }
}

/// How poison goes from sources to result.
enum class rule : u8 {
    any,       ///< any byte of any source makes the whole result lane poison
    bytes,     ///< byte b of the result depends on byte b of the sources
    bytes_and, ///< as bytes, but a clean zero makes the result clean
    bytes_or,
    and_not,
    or_not,   ///< scalar logic, where a clean bit may decide the result
    carry_up, ///< low dword from low dwords, high dword from everything
    select,   ///< v_cndmask
    shift_left,
    shift_right,
    shift_left_or, ///< exact for constants
    permute,       ///< v_perm_b32
    align_bits,
    align_bytes,
    bit_field,   ///< v_bfe with constant position
    pack_halves, ///< two 16-bit sources side by side
    packed,      ///< result half h depends on halves h
    mix,         ///< fma_mix: each source is f32, or the half that op_sel picks
    custom       ///< the handler does it
};

struct instruction {
    std::string_view name;
    format layout;
    op_class cls;
    handler plain, strict;
    kind dst = kind::none;
    kind src[4] = {kind::none, kind::none, kind::none, kind::none};
    rule taint_rule = rule::any;
    bool mask_out = false;  ///< writes a lane mask besides (or in place of) dst
    bool reads_dst = false; ///< dst is also the last source (fmac)
    u8 cycles = 1;
    u16 width = 0; ///< memory: bytes a lane

    constexpr instruction as(op_class what) const {
        instruction changed = *this;
        changed.cls = what;
        return changed;
    }
};

using instruction_table = std::span<const instruction>;

/// Looks a mnemonic up (without _e32, _e64, _dpp); nullptr when the emulator does not know it.
const instruction* find_instruction(std::string_view name, generation isa = generation::rdna4);
/// Tables of a generation; the ones of rdna3 hold what it has apart from rdna4.
std::span<const instruction_table> all_tables(generation isa = generation::rdna4);
/// The name that rdna4 gives to an rdna3 instruction; empty where it has none.
std::string_view rdna4_name(std::string_view rdna3_name);

} // namespace r9v_emulator
