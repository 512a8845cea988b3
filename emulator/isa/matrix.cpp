// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// WMMA. Every type runs as outer products in f32: operands become A[k][row] and
// B[k][column], and row r of D is 16 neighbouring lanes. The sum runs over ascending k with one
// rounding a step; the order inside the hardware is not published. 8-bit and 4-bit integer products
// are exact in f32, since 32 * 255 * 255 < 2^24.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <bit>
#include <limits>

namespace r9v_emulator {
namespace {

constexpr int side = 16;

struct alignas(64) operand_matrix {
    float at[64][side]; ///< [k][row of A or column of B]
};
struct alignas(64) tile {
    float at[side][side];
};

void outer_products(const operand_matrix& a, const operand_matrix& b, int depth, tile& d) {
    for (int row = 0; row < side; row += 4) {
        __m256 acc[4][2];
        for (int r = 0; r < 4; ++r)
            for (int h = 0; h < 2; ++h)
                acc[r][h] = _mm256_load_ps(&d.at[row + r][8 * h]);
        for (int k = 0; k < depth; ++k) {
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

enum class element : u8 { f16, bf16, fp8, bf8, u8x4, u4x8 };

constexpr int per_register(element e) {
    return e == element::f16 || e == element::bf16 ? 2 : e == element::u4x8 ? 8 : 4;
}

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

/// The 16-bit halves of 16 lanes, as two rows of k.
void convert_halves(const u32* from, bool is_bf16, float* even, float* odd) {
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

float element_value(element e, u32 word, int i, bool is_signed) {
    if (e == element::u4x8) {
        const u32 raw = word >> (4 * i) & 15;
        return static_cast<float>(is_signed ? static_cast<i32>(raw ^ 8) - 8
                                            : static_cast<i32>(raw));
    }
    const u32 raw = word >> (8 * i) & 0xff;
    if (e == element::fp8) return values().fp8[raw];
    if (e == element::bf8) return values().bf8[raw];
    return static_cast<float>(is_signed ? static_cast<i32>(raw ^ 0x80) - 0x80
                                        : static_cast<i32>(raw));
}

/// Lane (h, c) holds row or column c; register v and element e of the half h hold
/// k = h * half_depth + v * per_register + e.
void load_operand(const wave& w, u16 first, element e, int depth, bool is_signed,
                  operand_matrix& to) {
    const int each = per_register(e), registers = depth / 2 / each;
    for (int v = 0; v < registers; ++v) {
        for (int h = 0; h < 2; ++h) {
            const u32* from = &w.v[first + v][side * h];
            const int k = h * depth / 2 + v * each;
            if (each == 2) {
                convert_halves(from, e == element::bf16, to.at[k], to.at[k + 1]);
                continue;
            }
            for (int i = 0; i < each; ++i)
                for (int c = 0; c < side; ++c)
                    to.at[k + i][c] = element_value(e, from[c], i, is_signed);
        }
    }
}

enum class result : u8 { f32, f16, bf16, integer };

struct shape {
    element a, b;
    result d;
    int depth;
};

constexpr int result_registers(result r) {
    return r == result::f16 || r == result::bf16 ? 4 : 8;
}

u32 constant_word(const wave& w, const op& o, int i) {
    return scalar_word(w, o, i, 0);
}

void load_accumulator(const wave& w, const op& o, int source, result r, tile& to) {
    const u16 first = o.src[source];
    for (int row = 0; row < side; ++row) {
        const int h = row / 8, v = row % 8;
        for (int c = 0; c < side; ++c) {
            const int lane = side * h + c;
            const int reg = r == result::f32 || r == result::integer ? v : v / 2;
            const u32 word =
                is_vector(first) ? w.v[first + reg][lane] : constant_word(w, o, source);
            const u32 narrow = v % 2 ? word >> 16 : word & 0xffff;
            to.at[row][c] = r == result::f32    ? bits_as<float>(word)
                            : r == result::f16  ? half_bits(narrow)
                            : r == result::bf16 ? from_bf16(narrow)
                                                : 0.0f;
        }
    }
}

void load_f32_accumulator(const wave& w, u16 first, tile& to) {
    for (int v = 0; v < 8; ++v)
        for (int h = 0; h < 2; ++h)
            std::memcpy(to.at[8 * h + v], &w.v[first + v][side * h], sizeof to.at[0]);
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
                is_vector(c_first) ? w.v[c_first + v][lane] : constant_word(w, o, source);
            i64 sum = i64{static_cast<i32>(old)} + static_cast<i64>(from.at[row][c]);
            if (o.flags & flag_clamp)
                sum = std::clamp<i64>(sum, std::numeric_limits<i32>::min(),
                                      std::numeric_limits<i32>::max());
            w.v[o.dst + v][lane] = static_cast<u32>(sum);
        }
    }
}

void store_f32(wave& w, u16 first, const tile& from) {
    for (int v = 0; v < 8; ++v)
        for (int h = 0; h < 2; ++h)
            std::memcpy(&w.v[first + v][side * h], from.at[8 * h + v], sizeof from.at[0]);
}

/// Row r of D depends on row r of A, column c on column c of B, each element on its own of C.
void propagate_matrix(wave& w, const op& o, int a_registers, int b_registers, int d_registers) {
    const auto lanes_of = [&](u16 first, int count) {
        u32 any = 0;
        for (int n = 0; n < count; ++n)
            any |= w.taints[first + n].any_byte();
        return (any | any >> 16) & 0xffff;
    };
    check_pending(w, o, o.src[0], static_cast<unsigned>(a_registers), false);
    check_pending(w, o, o.src[1], static_cast<unsigned>(b_registers), false);
    if (is_vector(o.src[2]))
        check_pending(w, o, o.src[2], static_cast<unsigned>(d_registers), false);
    check_pending(w, o, o.dst, static_cast<unsigned>(d_registers), true);
    const u32 rows = lanes_of(o.src[0], a_registers), columns = lanes_of(o.src[1], b_registers);
    const int rows_each = 8 / d_registers;
    taint made[8];
    for (int v = 0; v < d_registers; ++v) {
        taint t = is_vector(o.src[2]) ? w.taints[o.src[2] + v] : taint{};
        for (unsigned b = 0; b < 4; ++b) {
            // Packed results hold two rows, one a half.
            const int row = v * rows_each + (rows_each == 2 && b >= 2 ? 1 : 0);
            u32 bad = columns | columns << 16;
            if (rows >> row & 1) bad |= 0xffffu;
            if (rows >> (8 + row) & 1) bad |= 0xffff0000u;
            t.plane[b] |= bad;
        }
        made[v] = taint::every(0) | t;
    }
    for (int v = 0; v < d_registers; ++v) {
        if (rows_each == 1) made[v] = taint::every(made[v].any_byte());
        w.taints[o.dst + v] = made[v];
    }
}

template<shape S, bool Strict>
void multiply(wave& w, const op& o) {
    constexpr int a_registers = S.depth / 2 / per_register(S.a);
    constexpr int b_registers = S.depth / 2 / per_register(S.b);
    constexpr int d_registers = result_registers(S.d);
    constexpr bool integers = S.d == result::integer;
    if (!integers && (o.neg | o.neg_hi))
        report_fatal(w, o, "unknown instruction", -1, 0, "negation of a matrix operand");
    if constexpr (Strict) {
        if (w.exec() != all_lanes)
            report(w, o, "WMMA under partial EXEC", lowest_lane(~w.exec()), 0,
                   "all 32 lanes must be active; the result is undefined");
        __m128i t = _mm_setzero_si128();
        const auto add = [&](u16 first, int count) {
            for (int n = 0; n < count; ++n)
                t = _mm_or_si128(t, load_taint(w.taints[first + n]));
        };
        add(o.src[0], a_registers);
        add(o.src[1], b_registers);
        add(o.dst, d_registers);
        if (is_vector(o.src[2])) add(o.src[2], d_registers);
        if (!is_clear(t)) propagate_matrix(w, o, a_registers, b_registers, d_registers);
    }
    operand_matrix a, b;
    tile d;
    load_operand(w, o.src[0], S.a, S.depth, integers && (o.neg & 1), a);
    load_operand(w, o.src[1], S.b, S.depth, integers && (o.neg & 2), b);
    if (S.d == result::f32 && is_vector(o.src[2]))
        load_f32_accumulator(w, o.src[2], d);
    else
        load_accumulator(w, o, 2, S.d, d);
    outer_products(a, b, S.depth, d);
    if constexpr (S.d == result::f32)
        store_f32(w, o.dst, d);
    else if constexpr (integers)
        store_integers(w, o, 2, d);
    else
        store_narrow(w, o.dst, d, S.d == result::bf16);
}

constexpr kind registers_kind(int n) {
    return n == 1 ? kind::b32 : n == 2 ? kind::b64 : n == 4 ? kind::wide4 : kind::wide8;
}

template<element A, element B, result D, int Depth>
constexpr instruction entry(std::string_view name) {
    constexpr shape s{A, B, D, Depth};
    instruction e{name, format::vector, op_class::wmma, &multiply<s, false>, &multiply<s, true>};
    e.dst = registers_kind(result_registers(D));
    e.src[0] = registers_kind(Depth / 2 / per_register(A));
    e.src[1] = registers_kind(Depth / 2 / per_register(B));
    // A constant accumulator is read in the result's type.
    e.src[2] = D == result::f32 ? kind::f32 : e.dst;
    e.taint_rule = rule::custom;
    e.cycles = A == element::f16 || A == element::bf16 ? 16 : 8;
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
