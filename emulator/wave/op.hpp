// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One decoded instruction, ready to run, and the numbering of operands: vector registers, scalar
// registers and constants share one index, so that one array holds the taint of all of them.
#pragma once

#include "types.hpp"

namespace r9v_emulator {

struct wave;
struct op;
struct instruction;
using handler = void (*)(wave&, const op&);

// Operand index: v0..v255, a few temporaries (for VOPD pairs whose halves overwrite each other's
// sources), the scalar file, and constants.
constexpr u16 vector_count = 272;
constexpr u16 first_temporary = 256;
constexpr u16 lane_offsets = 258; ///< holds four times the lane's number
constexpr u16 scalar_first = vector_count;
constexpr u16 scalar_count = 136;
constexpr u16 constant_index = scalar_first + scalar_count;
constexpr u16 taint_count = constant_index + 4;
constexpr u16 no_operand = 0xffff;

constexpr u16 scalar(unsigned n) {
    return static_cast<u16>(scalar_first + n);
}
constexpr bool is_vector(u16 index) {
    return index < vector_count;
}
constexpr bool is_scalar(u16 index) {
    return index >= scalar_first && index < constant_index;
}

// Numbers of the special scalar registers (as gfx11 and later encode them). Writes to "null" go to
// a slot of their own, so that reading null always gives 0.
constexpr unsigned vcc_number = 106, ttmp_number = 108, null_number = 124, m0_number = 125;
constexpr unsigned exec_number = 126, discard_number = 128;

/// What a launch's counts put the instruction under.
enum class op_class : u8 {
    wmma,
    valu,
    transcendental,
    salu,
    branch,
    smem,
    global_load,
    global_store,
    global_atomic,
    scratch,
    lds_load,
    lds_store,
    wait,
    barrier,
    other,
    count
};

enum class dpp_kind : u8 { none, row16, lanes8 };

struct op {
    handler fn;
    u64 constant[3]; ///< by source position
    u16 dst, dst2;   ///< dst2: the scalar mask of carries
    u16 src[4];
    i32 offset; ///< immediate: address offset, simm, DPP control
    u32 aux;    ///< second immediate: offset1, DPP row/bank masks, message
    const instruction* info;
    op_class cls;
    u8 cycles;
    u8 advance;  ///< dwords to the next instruction
    u8 neg, abs; ///< per source; neg is neg_lo for packed instructions
    u8 neg_hi, sel, sel_hi;
    u8 omod; ///< 0 none, 1 *2, 2 *4, 3 /2
    dpp_kind dpp;
    u8 flags;   ///< op_flags below
    u8 special; ///< any modifier present: take the general path
    u16 width;  ///< bytes a lane of a memory access moves
    u8 flush;   ///< of 16-bit floats: denormal operands (1), denormal results (2)
};

enum op_flags : u8 {
    flag_clamp = 1,
    flag_bound_zero = 2,
    flag_fetch_inactive = 4,
    flag_returns = 8,
    flag_offset_enabled = 16,
    flag_index_enabled = 32,
    flag_gds = 64,
    flag_scoped = 128 ///< a scope wider than the wave's own: ordered with other waves' accesses
};

} // namespace r9v_emulator
