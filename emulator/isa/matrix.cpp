// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// WMMA of gfx12. Every type runs as outer products in f32: operands become A[k][row] and
// B[k][column], and row r of D is 16 neighbouring lanes. The sum runs over ascending k with one
// rounding a step; the order inside the hardware is not published. 8-bit and 4-bit integer products
// are exact in f32, since 64 * 255 * 255 < 2^24.
#include "matrix.hpp"

#include "tables.hpp"

namespace r9v_emulator {
namespace {

struct shape {
    element a, b;
    result d;
    int depth;
};

template<shape S, bool Strict>
void multiply(wave& w, const op& o) {
    constexpr int a_registers = S.depth / 2 / per_register(S.a);
    constexpr int b_registers = S.depth / 2 / per_register(S.b);
    constexpr int d_registers = result_registers(S.d);
    if constexpr (Strict) {
        check_full_exec(w, o);
        __m128i t = _mm_setzero_si128();
        const auto add = [&](u16 first, int count) {
            for (int n = 0; n < count; ++n)
                t = _mm_or_si128(t, load_taint(w.taints[first + n]));
        };
        add(o.src[0], a_registers);
        add(o.src[1], b_registers);
        add(o.dst, d_registers);
        if (is_vector(o.src[2])) add(o.src[2], d_registers);
        if (!is_clear(t)) {
            check_pending(w, o, o.src[0], static_cast<unsigned>(a_registers), false);
            check_pending(w, o, o.src[1], static_cast<unsigned>(b_registers), false);
            propagate_matrix(w, o, poison_of(w, o.src[0], a_registers),
                             poison_of(w, o.src[1], b_registers), 2, d_registers);
        }
    }
    operand_matrix a, b;
    tile d;
    load_operand<S.a, S.depth>(w, o.src[0], signs_of(o, 0, S.a), a);
    load_operand<S.b, S.depth>(w, o.src[1], signs_of(o, 1, S.b), b);
    load_accumulator(w, o, 2, S.d, d);
    outer_products<S.depth>(a, b, d);
    store_result(w, o, 2, S.d, d);
}

template<element A, element B, result D, int Depth>
constexpr instruction entry(std::string_view name) {
    constexpr shape s{A, B, D, Depth};
    instruction e{name, format::vector, op_class::wmma, &multiply<s, false>, &multiply<s, true>};
    e.dst = registers_kind(result_registers(D));
    e.src[0] = registers_kind(Depth / 2 / per_register(A));
    e.src[1] = registers_kind(Depth / 2 / per_register(B));
    // A constant accumulator is read in the result's type.
    e.src[2] = D == result::f32    ? kind::f32
               : D == result::f16  ? kind::f16
               : D == result::bf16 ? kind::bf16
                                   : e.dst;
    e.taint_rule = rule::custom;
    e.cycles = matrix_cycles(A);
    return e;
}

using enum element;
constexpr instruction table[] = {
    entry<f16, f16, result::f32, 16>("v_wmma_f32_16x16x16_f16"),
    entry<bf16, bf16, result::f32, 16>("v_wmma_f32_16x16x16_bf16"),
    entry<f16, f16, result::f16, 16>("v_wmma_f16_16x16x16_f16"),
    entry<bf16, bf16, result::bf16, 16>("v_wmma_bf16_16x16x16_bf16"),
    entry<fp8, fp8, result::f32, 16>("v_wmma_f32_16x16x16_fp8_fp8"),
    entry<fp8, bf8, result::f32, 16>("v_wmma_f32_16x16x16_fp8_bf8"),
    entry<bf8, fp8, result::f32, 16>("v_wmma_f32_16x16x16_bf8_fp8"),
    entry<bf8, bf8, result::f32, 16>("v_wmma_f32_16x16x16_bf8_bf8"),
    entry<u8x4, u8x4, result::integer, 16>("v_wmma_i32_16x16x16_iu8"),
    entry<u4x8, u4x8, result::integer, 16>("v_wmma_i32_16x16x16_iu4"),
    entry<u4x8, u4x8, result::integer, 32>("v_wmma_i32_16x16x32_iu4"),
};

} // namespace

instruction_table matrix_table() {
    return table;
}

} // namespace r9v_emulator
