// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// SWMMAC: of each four neighbouring k, A holds two elements and the index register says which two.
// An element of B that no index picks does not enter the sum, whatever it is.
#include "matrix.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

struct shape {
    element a, b;
    result d;
    int depth;  ///< of B
    bool keyed; ///< 16 bits of the index register serve, index_key says which
};

/// The kept elements of each row, ascending in their groups of four.
struct kept_elements {
    alignas(64) float value[32][side];
    u8 k[32][side];
};

/// First k of group g in the half h of the wave. 16-bit types interleave the halves by eights, the
/// narrower ones give each half its own part of k.
constexpr int group_begin(const shape& s, int h, int g) {
    return per_register(s.a) == 2 ? 16 * (g / 2) + 8 * h + 4 * (g % 2) : s.depth / 2 * h + 4 * g;
}

template<shape S>
void load_kept(const wave& w, const op& o, kept_elements& to) {
    constexpr int each = per_register(S.a), registers = S.depth / 4 / each;
    const unsigned shift = S.keyed ? 16 * (o.aux & 1) : 0;
    alignas(64) float rows[8][side];
    for (int h = 0; h < 2; ++h) {
        const u32* index = &w.v[o.src[2]][side * h];
        for (int v = 0; v < registers; ++v) {
            convert_register<S.a>(&w.v[o.src[0] + v][side * h], signs_of(o, 0, S.a), rows);
            for (int i = 0; i < each; ++i) {
                const int element = v * each + i, g = element / 2;
                const int begin = group_begin(S, h, g), slot = begin / 2 + element % 2;
                for (int row = 0; row < side; ++row) {
                    const u32 pick = index[row] >> shift >> (4 * g + 2 * (element % 2)) & 3;
                    to.value[slot][row] = rows[i][row];
                    to.k[slot][row] = static_cast<u8>(begin + static_cast<int>(pick));
                }
            }
        }
    }
}

template<shape S>
void load_dense(const wave& w, const op& o, operand_matrix& to) {
    if constexpr (per_register(S.b) != 2) {
        load_operand<S.b, S.depth>(w, o.src[1], signs_of(o, 1, S.b), to);
    } else {
        for (int v = 0; v < 8; ++v)
            for (int h = 0; h < 2; ++h)
                convert_register<S.b>(&w.v[o.src[1] + v][side * h], signs_of(o, 1, S.b),
                                      &to.at[16 * (v / 4) + 8 * h + 2 * (v % 4)]);
    }
}

void sum_kept(const kept_elements& a, const operand_matrix& b, int kept, tile& d) {
    for (int row = 0; row < side; ++row) {
        __m256 low = _mm256_load_ps(&d.at[row][0]), high = _mm256_load_ps(&d.at[row][8]);
        for (int n = 0; n < kept; ++n) {
            const __m256 x = _mm256_set1_ps(a.value[n][row]);
            const float* from = b.at[a.k[n][row]];
            low = _mm256_fmadd_ps(x, _mm256_load_ps(from), low);
            high = _mm256_fmadd_ps(x, _mm256_load_ps(from + 8), high);
        }
        _mm256_store_ps(&d.at[row][0], low);
        _mm256_store_ps(&d.at[row][8], high);
    }
}

template<shape S, bool Strict>
void multiply(wave& w, const op& o) {
    constexpr int a_registers = S.depth / 4 / per_register(S.a);
    constexpr int b_registers = S.depth / 2 / per_register(S.b);
    constexpr int d_registers = result_registers(S.d);
    constexpr int accumulator = 3; // D itself
    if constexpr (Strict) {
        check_full_exec(w, o);
        check_pending(w, o, o.src[0], a_registers, false);
        check_pending(w, o, o.src[1], b_registers, false);
        check_pending(w, o, o.src[2], 1, false);
        const u32 rows = poison_of(w, o.src[0], a_registers) | poison_of(w, o.src[2], 1);
        propagate_matrix(w, o, rows, poison_of(w, o.src[1], b_registers), accumulator, d_registers);
    }
    kept_elements a;
    operand_matrix b;
    tile d;
    load_kept<S>(w, o, a);
    load_dense<S>(w, o, b);
    load_accumulator(w, o, accumulator, S.d, d);
    sum_kept(a, b, S.depth / 2, d);
    store_result(w, o, accumulator, S.d, d);
}

template<element A, element B, result D, int Depth, bool Keyed = true>
constexpr instruction entry(std::string_view name) {
    constexpr shape s{A, B, D, Depth, Keyed};
    instruction e{name, format::vector, op_class::wmma, &multiply<s, false>, &multiply<s, true>};
    e.dst = registers_kind(result_registers(D));
    e.src[0] = registers_kind(Depth / 4 / per_register(A));
    e.src[1] = registers_kind(Depth / 2 / per_register(B));
    e.src[2] = kind::b32;
    e.src[3] = e.dst;
    e.reads_dst = true;
    e.taint_rule = rule::custom;
    e.cycles = matrix_cycles(A);
    return e;
}

using enum element;
constexpr instruction table[] = {
    entry<f16, f16, result::f32, 32>("v_swmmac_f32_16x16x32_f16"),
    entry<bf16, bf16, result::f32, 32>("v_swmmac_f32_16x16x32_bf16"),
    entry<f16, f16, result::f16, 32>("v_swmmac_f16_16x16x32_f16"),
    entry<bf16, bf16, result::bf16, 32>("v_swmmac_bf16_16x16x32_bf16"),
    entry<fp8, fp8, result::f32, 32>("v_swmmac_f32_16x16x32_fp8_fp8"),
    entry<fp8, bf8, result::f32, 32>("v_swmmac_f32_16x16x32_fp8_bf8"),
    entry<bf8, fp8, result::f32, 32>("v_swmmac_f32_16x16x32_bf8_fp8"),
    entry<bf8, bf8, result::f32, 32>("v_swmmac_f32_16x16x32_bf8_bf8"),
    entry<u8x4, u8x4, result::integer, 32>("v_swmmac_i32_16x16x32_iu8"),
    entry<u4x8, u4x8, result::integer, 32>("v_swmmac_i32_16x16x32_iu4"),
    entry<u4x8, u4x8, result::integer, 64, false>("v_swmmac_i32_16x16x64_iu4"),
};

} // namespace

instruction_table sparse_matrix_table() {
    return table;
}

} // namespace r9v_emulator
