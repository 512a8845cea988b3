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

/// The 16-bit halves of 16 lanes, as two rows of k.
inline void convert_halves(const u32* from, bool is_bf16, float* even, float* odd) {
    for (int c = 0; c < side; c += 8) {
        const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(from + c));
        const __m256i high = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
        if (is_bf16) {
            _mm256_store_ps(even + c, _mm256_castsi256_ps(_mm256_slli_epi32(x, 16)));
            _mm256_store_ps(odd + c, _mm256_castsi256_ps(_mm256_and_si256(x, high)));
        } else {
            const __m256i low = _mm256_andnot_si256(high, x), up = _mm256_srli_epi32(x, 16);
            // Packing keeps 128-bit halves apart; the permutation puts the lanes back in order.
            const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, up), 0xd8);
            _mm256_store_ps(even + c, _mm256_cvtph_ps(_mm256_castsi256_si128(packed)));
            _mm256_store_ps(odd + c, _mm256_cvtph_ps(_mm256_extracti128_si256(packed, 1)));
        }
    }
}

inline void negate(float* row) {
    for (int c = 0; c < side; ++c)
        row[c] = bits_as<float>(bits_as<u32>(row[c]) ^ 0x80000000u);
}

/// Value of every code of an 8-bit float.
const float* byte_values_of(element e);

/// Register `from` of 16 lanes becomes per_register(E) rows of `to`.
template<element E>
inline void convert_register(const u32* from, operand_signs signs, float (*to)[side]) {
    if constexpr (per_register(E) == 2) {
        convert_halves(from, E == element::bf16, to[0], to[1]);
        if (signs.negate_even) negate(to[0]);
        if (signs.negate_odd) negate(to[1]);
    } else {
        constexpr int bits = 32 / per_register(E);
        constexpr u32 field = (1u << bits) - 1;
        [[maybe_unused]] const float* const table = is_integer(E) ? nullptr : byte_values_of(E);
        const u32 sign = signs.is_signed ? 1u << (bits - 1) : 0;
        for (int i = 0; i < per_register(E); ++i) {
            for (int c = 0; c < side; ++c) {
                const u32 raw = from[c] >> (bits * i) & field;
                if constexpr (is_integer(E))
                    to[i][c] = static_cast<float>(static_cast<i32>((raw ^ sign) - sign));
                else
                    to[i][c] = table[raw];
            }
        }
    }
}

/// Lane (h, c) holds row or column c; register v and element e of the half h hold
/// k = h * depth / 2 + v * per_register + e.
template<element E, int Depth>
inline void load_operand(const wave& w, u16 first, operand_signs signs, operand_matrix& to) {
    constexpr int each = per_register(E), registers = Depth / 2 / each;
    for (int v = 0; v < registers; ++v)
        for (int h = 0; h < 2; ++h)
            convert_register<E>(&w.v[first + v][side * h], signs, &to.at[h * Depth / 2 + v * each]);
}

template<int Depth>
inline void outer_products(const operand_matrix& a, const operand_matrix& b, tile& d) {
    for (int row = 0; row < side; row += 4) {
        __m256 acc[4][2];
        for (int r = 0; r < 4; ++r)
            for (int h = 0; h < 2; ++h)
                acc[r][h] = _mm256_load_ps(&d.at[row + r][8 * h]);
        for (int k = 0; k < Depth; ++k) {
            const __m256 b0 = _mm256_load_ps(&b.at[k][0]), b1 = _mm256_load_ps(&b.at[k][8]);
            for (int r = 0; r < 4; ++r) {
                const __m256 x = _mm256_broadcast_ss(&a.at[k][row + r]);
                acc[r][0] = _mm256_fmadd_ps(x, b0, acc[r][0]);
                acc[r][1] = _mm256_fmadd_ps(x, b1, acc[r][1]);
            }
        }
        for (int r = 0; r < 4; ++r)
            for (int h = 0; h < 2; ++h)
                _mm256_store_ps(&d.at[row + r][8 * h], acc[r][h]);
    }
}

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
