// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Operands and results of matrix instructions.
#include "matrix.hpp"
#include <limits>

namespace r9v_emulator {
namespace {

/// Value of every 8-bit code; built once.
struct byte_values {
    float fp8[256], bf8[256];
    byte_values() {
        for (unsigned i = 0; i < 256; ++i) {
            fp8[i] = from_fp8(static_cast<u8>(i));
            bf8[i] = from_bf8(static_cast<u8>(i));
        }
    }
};
const byte_values& values() {
    static const byte_values table;
    return table;
}

void store_narrow(wave& w, u16 first, const tile& from, bool is_bf16) {
    for (int row = 0; row < side; row += 2) {
        for (int c = 0; c < side; ++c) {
            const float x = from.at[row][c], y = from.at[row + 1][c];
            const u32 low = is_bf16 ? to_bf16(x) : bits_as<u16>(static_cast<half>(x));
            const u32 high = is_bf16 ? to_bf16(y) : bits_as<u16>(static_cast<half>(y));
            w.v[first + row % 8 / 2][side * (row / 8) + c] = low | high << 16;
        }
    }
}

void store_integers(wave& w, const op& o, int source, const tile& from) {
    const u16 c_first = o.src[source];
    for (int row = 0; row < side; ++row) {
        for (int c = 0; c < side; ++c) {
            const int v = row % 8, lane = side * (row / 8) + c;
            const u32 old =
                is_vector(c_first) ? w.v[c_first + v][lane] : scalar_word(w, o, source, 0);
            w.v[o.dst + v][lane] = add_integer(o, old, from.at[row][c]);
        }
    }
}

void store_f32(wave& w, u16 first, const tile& from) {
    for (int v = 0; v < 8; ++v)
        for (int h = 0; h < 2; ++h)
            std::memcpy(&w.v[first + v][side * h], from.at[8 * h + v], sizeof from.at[0]);
}

} // namespace

const float* byte_values_of(element e) {
    return e == element::fp8 ? values().fp8 : values().bf8;
}

operand_signs signs_of(const op& o, int operand, element e) {
    const bool low = o.neg >> operand & 1, high = o.neg_hi >> operand & 1;
    if (is_integer(e)) return {low, false, false};
    return {false, low, high};
}

void apply_accumulator_modifiers(const op& o, int source, tile& t) {
    // For C, neg_hi asks for the absolute value.
    const bool absolute = o.neg_hi >> source & 1, negated = o.neg >> source & 1;
    if (!absolute && !negated) return;
    for (auto& row : t.at) {
        for (float& x : row) {
            const u32 bits = bits_as<u32>(x) & (absolute ? 0x7fffffffu : all_lanes);
            x = bits_as<float>(bits ^ (negated ? 0x80000000u : 0));
        }
    }
}

void load_accumulator(const wave& w, const op& o, int source, result r, tile& to) {
    const u16 first = o.src[source];
    if (r == result::integer) {
        to = tile{};
        return;
    }
    if (r == result::f32 && is_vector(first)) {
        for (int v = 0; v < 8; ++v)
            for (int h = 0; h < 2; ++h)
                std::memcpy(to.at[8 * h + v], &w.v[first + v][side * h], sizeof to.at[0]);
    } else {
        for (int row = 0; row < side; ++row) {
            const int h = row / 8, v = row % 8;
            for (int c = 0; c < side; ++c) {
                const int reg = r == result::f32 ? v : v / 2;
                const u32 word = is_vector(first) ? w.v[first + reg][side * h + c]
                                                  : scalar_word(w, o, source, 0);
                // A constant stands for every element.
                const u32 narrow = v % 2 && is_vector(first) ? word >> 16 : word & 0xffff;
                to.at[row][c] = r == result::f32   ? bits_as<float>(word)
                                : r == result::f16 ? half_bits(narrow)
                                                   : from_bf16(narrow);
            }
        }
    }
    apply_accumulator_modifiers(o, source, to);
}

void store_result(wave& w, const op& o, int source, result r, const tile& from) {
    if (r == result::f32)
        store_f32(w, o.dst, from);
    else if (r == result::integer)
        store_integers(w, o, source, from);
    else
        store_narrow(w, o.dst, from, r == result::bf16);
}

u32 add_integer(const op& o, u32 old, float sum) {
    i64 total = i64{static_cast<i32>(old)} + static_cast<i64>(sum);
    if (o.flags & flag_clamp)
        total = std::clamp<i64>(total, std::numeric_limits<i32>::min(),
                                std::numeric_limits<i32>::max());
    return static_cast<u32>(total);
}

void check_full_exec(wave& w, const op& o) {
    if (w.exec() != all_lanes)
        report(w, o, "WMMA under partial EXEC", lowest_lane(~w.exec()), 0,
               "all 32 lanes must be active; the result is undefined");
}

u32 poison_of(const wave& w, u16 first, int count) {
    u32 any = 0;
    for (int n = 0; n < count; ++n)
        any |= w.taints[first + n].any_byte();
    return (any | any >> 16) & 0xffff;
}

void propagate_matrix(wave& w, const op& o, u32 rows, u32 columns, int accumulator,
                      int d_registers) {
    const u16 c_first = o.src[accumulator];
    if (is_vector(c_first)) check_pending(w, o, c_first, static_cast<unsigned>(d_registers), false);
    check_pending(w, o, o.dst, static_cast<unsigned>(d_registers), true);
    const int rows_each = 8 / d_registers;
    taint made[8];
    for (int v = 0; v < d_registers; ++v) {
        taint t = is_vector(c_first) ? w.taints[c_first + v] : taint{};
        for (unsigned b = 0; b < 4; ++b) {
            // Packed results hold two rows, one a half.
            const int row = v * rows_each + (rows_each == 2 && b >= 2 ? 1 : 0);
            u32 bad = columns | columns << 16;
            if (rows >> row & 1) bad |= 0xffffu;
            if (rows >> (8 + row) & 1) bad |= 0xffff0000u;
            t.plane[b] |= bad;
        }
        made[v] = t;
    }
    for (int v = 0; v < d_registers; ++v) {
        if (rows_each == 1) made[v] = taint::every(made[v].any_byte());
        w.taints[o.dst + v] = made[v];
    }
}

} // namespace r9v_emulator
