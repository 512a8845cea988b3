// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the matrix instructions of all generations share: operands as rows of f32, the sums over
// them, and the poison of the result.
#pragma once

#include "arithmetic.hpp"

namespace r9v_emulator {

constexpr int side = 16;

struct alignas(64) operand_matrix {
    float at[64][side]; ///< [k][row of A or column of B]
};
struct alignas(64) tile {
    float at[side][side];
};

enum class element : u8 { f16, bf16, fp8, bf8, u8x4, u4x8 };
enum class result : u8 { f32, f16, bf16, integer };

constexpr int per_register(element e) {
    return e == element::f16 || e == element::bf16 ? 2 : e == element::u4x8 ? 8 : 4;
}
constexpr bool is_integer(element e) {
    return e == element::u8x4 || e == element::u4x8;
}
constexpr int result_registers(result r) {
    return r == result::f16 || r == result::bf16 ? 4 : 8;
}

/// How the instruction's modifiers change operand 0 (A) or 1 (B).
struct operand_signs {
    bool is_signed;               ///< integers
    bool negate_even, negate_odd; ///< 16-bit floats: the low and the high half of a register
};
operand_signs signs_of(const op& o, int operand, element e);

/// Register `from` of 16 lanes becomes per_register(e) rows of `to`.
void convert_register(const u32* from, element e, operand_signs signs, float (*to)[side]);

/// Lane (h, c) holds row or column c; register v and element e of the half h hold
/// k = h * depth / 2 + v * per_register + e.
void load_operand(const wave& w, u16 first, element e, int depth, operand_signs signs,
                  operand_matrix& to);
void outer_products(const operand_matrix& a, const operand_matrix& b, int depth, tile& d);

/// C in the layout of gfx12, its modifiers applied; zero for integers, which are added at the end.
void load_accumulator(const wave& w, const op& o, int source, result r, tile& to);
/// D in the layout of gfx12; integers are added to operand `source`, wrapped or clamped.
void store_result(wave& w, const op& o, int source, result r, const tile& from);
u32 add_integer(const op& o, u32 old, float sum);

/// A constant accumulator is read in the result's type.
void apply_accumulator_modifiers(const op& o, int source, tile& t);

/// Strict mode: lanes off, operands outstanding. Answers lanes 0..15 in which any byte of the
/// registers is poison: rows of A, columns of B.
void check_full_exec(wave& w, const op& o);
u32 poison_of(const wave& w, u16 first, int count);
/// Row r of D depends on row r of A, column c on column c of B, each element on its own of C.
void propagate_matrix(wave& w, const op& o, u32 rows, u32 columns, int accumulator,
                      int d_registers);

constexpr kind registers_kind(int n) {
    return n == 1 ? kind::b32 : n == 2 ? kind::b64 : n == 4 ? kind::wide4 : kind::wide8;
}
constexpr u8 matrix_cycles(element e) {
    return e == element::f16 || e == element::bf16 ? 16 : 8;
}

} // namespace r9v_emulator
