// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// WMMA of gfx11. Lanes l and l + 16 hold the same row of A or column of B, all of its k. D has row
// 2 r + h of column c in register r of lane (h, c); 16-bit results take one half of each register,
// which op_sel names, and leave the other one.
#include "matrix.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

struct shape {
    element a;
    result d;
};

constexpr int operand_registers(element e) {
    return side / per_register(e);
}

template<element E>
void load_duplicated(const wave& w, const op& o, int operand, operand_matrix& to) {
    for (int v = 0; v < operand_registers(E); ++v)
        convert_register<E>(w.v[o.src[operand] + v], signs_of(o, operand, E),
                            &to.at[v * per_register(E)]);
}

void check_duplicated(wave& w, const op& o, int operand, int registers) {
    for (int v = 0; v < registers; ++v) {
        const u32* word = w.v[o.src[operand] + v];
        for (int l = 0; l < side; ++l) {
            if (word[l] == word[l + side]) continue;
            report(w, o, "WMMA operand not duplicated", l, 0,
                   register_name(o.src[operand] + static_cast<unsigned>(v)) + " differs in lanes " +
                       std::to_string(l) + " and " + std::to_string(l + side) +
                       "; gfx11 wants both halves of the wave alike");
            return;
        }
    }
}

bool upper(const op& o) {
    return o.sel & 4;
}

void load_c(const wave& w, const op& o, result r, tile& to) {
    const u16 first = o.src[2];
    for (int row = 0; row < side; ++row) {
        for (int c = 0; c < side; ++c) {
            const u32 word = is_vector(first) ? w.v[first + row / 2][side * (row % 2) + c]
                                              : scalar_word(w, o, 2, 0);
            const u32 narrow = upper(o) && is_vector(first) ? word >> 16 : word & 0xffff;
            to.at[row][c] = r == result::f32    ? bits_as<float>(word)
                            : r == result::f16  ? half_bits(narrow)
                            : r == result::bf16 ? from_bf16(narrow)
                                                : 0.0f;
        }
    }
    if (r != result::integer) apply_accumulator_modifiers(o, 2, to);
}

u32 result_word(const op& o, result r, float x, u32 c, u32 old) {
    if (r == result::f32) return bits_as<u32>(x);
    if (r == result::integer) return add_integer(o, c, x);
    const u32 narrow = r == result::bf16 ? to_bf16(x) : bits_as<u16>(static_cast<half>(x));
    return upper(o) ? (old & 0xffff) | narrow << 16 : (old & 0xffff0000u) | narrow;
}

void store_d(wave& w, const op& o, result r, const tile& from) {
    for (int row = 0; row < side; ++row) {
        for (int c = 0; c < side; ++c) {
            const int lane = side * (row % 2) + c, v = row / 2;
            const u32 addend =
                is_vector(o.src[2]) ? w.v[o.src[2] + v][lane] : scalar_word(w, o, 2, 0);
            u32& to = w.v[o.dst + v][lane];
            to = result_word(o, r, from.at[row][c], addend, to);
        }
    }
}

void propagate_rdna3(wave& w, const op& o, int registers, result r) {
    const u32 rows = poison_of(w, o.src[0], registers), columns = poison_of(w, o.src[1], registers);
    const bool narrow = r == result::f16 || r == result::bf16;
    for (int v = 0; v < 8; ++v) {
        taint t = is_vector(o.src[2]) ? w.taints[o.src[2] + v] : taint{};
        if (narrow && upper(o)) t = taint::of(t.plane[2], t.plane[3], 0, 0);
        u32 bad = (narrow ? t.low_half() : t.any_byte()) | columns | columns << 16;
        if (rows >> (2 * v) & 1) bad |= 0xffffu;
        if (rows >> (2 * v + 1) & 1) bad |= 0xffff0000u;
        taint& to = w.taints[o.dst + v];
        for (unsigned b = 0; b < 4; ++b)
            if (!narrow || (b >= 2) == upper(o)) to.plane[b] = bad;
    }
}

template<shape S, bool Strict>
void multiply(wave& w, const op& o) {
    constexpr int registers = operand_registers(S.a);
    if constexpr (Strict) {
        check_full_exec(w, o);
        check_pending(w, o, o.src[0], registers, false);
        check_pending(w, o, o.src[1], registers, false);
        if (is_vector(o.src[2])) check_pending(w, o, o.src[2], 8, false);
        check_pending(w, o, o.dst, 8, true);
        if (!poison_of(w, o.src[0], registers)) check_duplicated(w, o, 0, registers);
        if (!poison_of(w, o.src[1], registers)) check_duplicated(w, o, 1, registers);
    }
    operand_matrix a, b;
    tile d;
    load_duplicated<S.a>(w, o, 0, a);
    load_duplicated<S.a>(w, o, 1, b);
    load_c(w, o, S.d, d);
    outer_products<side>(a, b, d);
    if constexpr (Strict) propagate_rdna3(w, o, registers, S.d);
    store_d(w, o, S.d, d);
}

template<element A, result D>
constexpr instruction entry(std::string_view name) {
    constexpr shape s{A, D};
    instruction e{name, format::vector, op_class::wmma, &multiply<s, false>, &multiply<s, true>};
    e.dst = kind::wide8;
    e.src[0] = e.src[1] = registers_kind(operand_registers(A));
    e.src[2] = D == result::f32    ? kind::f32
               : D == result::f16  ? kind::f16
               : D == result::bf16 ? kind::bf16
                                   : e.dst;
    e.taint_rule = rule::custom;
    e.cycles = A == element::u4x8 ? 16 : 32;
    return e;
}

using enum element;
constexpr instruction table[] = {
    entry<f16, result::f32>("v_wmma_f32_16x16x16_f16"),
    entry<bf16, result::f32>("v_wmma_f32_16x16x16_bf16"),
    entry<f16, result::f16>("v_wmma_f16_16x16x16_f16"),
    entry<bf16, result::bf16>("v_wmma_bf16_16x16x16_bf16"),
    entry<u8x4, result::integer>("v_wmma_i32_16x16x16_iu8"),
    entry<u4x8, result::integer>("v_wmma_i32_16x16x16_iu4"),
};

} // namespace

instruction_table rdna3_matrix_table() {
    return table;
}

} // namespace r9v_emulator
