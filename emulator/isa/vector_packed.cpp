// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Packed 16-bit arithmetic, mixed precision and dot products.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <limits>

namespace r9v_emulator {
namespace {

template<class P, class F, class... Pairs>
P each_half(F f, Pairs... pairs) {
    const u32 low = bits_as<u16>(f(0u, pairs.bits...));
    const u32 high = bits_as<u16>(f(16u, pairs.bits...));
    return {low | high << 16};
}
float at(u32 bits, unsigned shift) {
    return half_bits(bits >> shift & 0xffff);
}
half half_at(u32 bits, unsigned shift) {
    return bits_as<half>(static_cast<u16>(bits >> shift));
}
u16 word_at(u32 bits, unsigned shift) {
    return static_cast<u16>(bits >> shift);
}
i16 signed_at(u32 bits, unsigned shift) {
    return static_cast<i16>(bits >> shift);
}

template<float (*Function)(float, float)>
struct packed_half {
    half_pair operator()(half_pair a, half_pair b) const {
        return each_half<half_pair>(
            [](unsigned s, u32 x, u32 y) {
                return static_cast<half>(Function(at(x, s), at(y, s)));
            },
            a, b);
    }
};
float add(float a, float b) {
    return a + b;
}
float multiply(float a, float b) {
    return a * b;
}
float low(float a, float b) {
    return min_num(a, b);
}
float high(float a, float b) {
    return max_num(a, b);
}
float low_nan(float a, float b) {
    return minimum(a, b);
}
float high_nan(float a, float b) {
    return maximum(a, b);
}

template<i32 (*Function)(i32, i32), bool Signed>
struct packed_short {
    u16_pair operator()(const op& o, u16_pair a, u16_pair b) const {
        const bool clamp = (o.flags & flag_clamp) != 0;
        return each_half<u16_pair>(
            [=](unsigned s, u32 x, u32 y) {
                const i32 p = Signed ? signed_at(x, s) : word_at(x, s);
                const i32 q = Signed ? signed_at(y, s) : word_at(y, s);
                const i32 r = Function(p, q);
                if (!clamp) return static_cast<u16>(r);
                return static_cast<u16>(Signed ? std::clamp(r, -0x8000, 0x7fff)
                                               : std::clamp(r, 0, 0xffff));
            },
            a, b);
    }
};
i32 sum(i32 a, i32 b) {
    return a + b;
}
i32 difference(i32 a, i32 b) {
    return a - b;
}
i32 product(i32 a, i32 b) {
    return static_cast<i32>(static_cast<u32>(a) * static_cast<u32>(b));
}
i32 smaller(i32 a, i32 b) {
    return std::min(a, b);
}
i32 larger(i32 a, i32 b) {
    return std::max(a, b);
}
i32 left(i32 a, i32 b) {
    return b << (a & 15);
}
i32 right(i32 a, i32 b) {
    return b >> (a & 15);
}

template<bool Signed>
struct packed_multiply_add {
    u16_pair operator()(const op& o, u16_pair a, u16_pair b, u16_pair c) const {
        const bool clamp = (o.flags & flag_clamp) != 0;
        return each_half<u16_pair>(
            [=](unsigned s, u32 x, u32 y, u32 z) {
                const i64 r = Signed ? i64{signed_at(x, s)} * signed_at(y, s) + signed_at(z, s)
                                     : i64{word_at(x, s)} * word_at(y, s) + word_at(z, s);
                if (!clamp) return static_cast<u16>(r);
                return static_cast<u16>(Signed ? std::clamp<i64>(r, -0x8000, 0x7fff)
                                               : std::clamp<i64>(r, 0, 0xffff));
            },
            a, b, c);
    }
};

constexpr entry_options packed{.taints = rule::packed};
constexpr entry_options mixed{.taints = rule::mix};
constexpr entry_options accumulate{.reads_dst = true};

constexpr instruction packed_table[] = {
    vector_op("v_pk_add_f16", packed_half<add>{}, packed),
    vector_op("v_pk_mul_f16", packed_half<multiply>{}, packed),
    vector_op("v_pk_min_num_f16", packed_half<low>{}, packed),
    vector_op("v_pk_max_num_f16", packed_half<high>{}, packed),
    vector_op("v_pk_minimum_f16", packed_half<low_nan>{}, packed),
    vector_op("v_pk_maximum_f16", packed_half<high_nan>{}, packed),
    vector_op(
        "v_pk_fma_f16",
        [](half_pair a, half_pair b, half_pair c) {
            return each_half<half_pair>(
                [](unsigned s, u32 x, u32 y, u32 z) {
                    return fma_half(half_at(x, s), half_at(y, s), half_at(z, s));
                },
                a, b, c);
        },
        packed),
    vector_op("v_pk_fmac_f16",
              [](half_pair a, half_pair b, half_pair c) {
                  return each_half<half_pair>(
                      [](unsigned s, u32 x, u32 y, u32 z) {
                          return fma_half(half_at(x, s), half_at(y, s), half_at(z, s));
                      },
                      a, b, c);
              },
              {.taints = rule::packed, .reads_dst = true}),
    vector_op("v_pk_add_u16", packed_short<sum, false>{}, packed),
    vector_op("v_pk_add_i16", packed_short<sum, true>{}, packed),
    vector_op("v_pk_sub_u16", packed_short<difference, false>{}, packed),
    vector_op("v_pk_sub_i16", packed_short<difference, true>{}, packed),
    vector_op("v_pk_mul_lo_u16", packed_short<product, false>{}, packed),
    vector_op("v_pk_min_u16", packed_short<smaller, false>{}, packed),
    vector_op("v_pk_max_u16", packed_short<larger, false>{}, packed),
    vector_op("v_pk_min_i16", packed_short<smaller, true>{}, packed),
    vector_op("v_pk_max_i16", packed_short<larger, true>{}, packed),
    vector_op("v_pk_lshlrev_b16", packed_short<left, false>{}, packed),
    vector_op("v_pk_lshrrev_b16", packed_short<right, false>{}, packed),
    vector_op("v_pk_ashrrev_i16", packed_short<right, true>{}, packed),
    vector_op("v_pk_mad_u16", packed_multiply_add<false>{}, packed),
    vector_op("v_pk_mad_i16", packed_multiply_add<true>{}, packed),
};

/// A source of fma_mix: f32, or the half that op_sel picks; its own absolute value and negation.
float mix_source(const op& o, unsigned i, u32 word) {
    float x = bits_as<float>(word);
    if (o.sel_hi >> i & 1) x = half_bits((o.sel >> i & 1) ? word >> 16 : word & 0xffff);
    u32 b = bits_as<u32>(x);
    if (o.abs >> i & 1) b &= 0x7fffffffu;
    if (o.neg >> i & 1) b ^= 0x80000000u;
    return bits_as<float>(b);
}
float mix(const op& o, u32 a, u32 b, u32 c) {
    return __builtin_fmaf(mix_source(o, 0, a), mix_source(o, 1, b), mix_source(o, 2, c));
}
/// The f32 result is rounded again, as the ISA's definition and the compiler have it.
half mix_half(const op& o, u32 a, u32 b, u32 c) {
    return static_cast<half>(mix(o, a, b, c));
}

template<unsigned Bits>
i32 element(u32 word, unsigned i, bool is_signed) {
    const u32 raw = word >> (Bits * i) & ((1u << Bits) - 1);
    const u32 sign = 1u << (Bits - 1);
    return is_signed ? static_cast<i32>((raw ^ sign) - sign) : static_cast<i32>(raw);
}
template<unsigned Bits>
u32 integer_dot(u32 a, u32 b, i64 c, bool sign_a, bool sign_b) {
    for (unsigned i = 0; i < 32 / Bits; ++i)
        c += i64{element<Bits>(a, i, sign_a)} * element<Bits>(b, i, sign_b);
    return static_cast<u32>(c);
}
template<unsigned Bits>
i32 signed_dot(const op& o, u32 a, u32 b, i32 c) {
    const bool sign_a = o.neg & 1, sign_b = o.neg & 2;
    i64 r = c;
    for (unsigned i = 0; i < 32 / Bits; ++i)
        r += i64{element<Bits>(a, i, sign_a)} * element<Bits>(b, i, sign_b);
    if (o.flags & flag_clamp)
        r = std::clamp<i64>(r, std::numeric_limits<i32>::min(), std::numeric_limits<i32>::max());
    return static_cast<i32>(r);
}
float half_dot(u32 a, u32 b, float c) {
    c = __builtin_fmaf(at(a, 0), at(b, 0), c);
    return __builtin_fmaf(at(a, 16), at(b, 16), c);
}
float bf16_dot(u32 a, u32 b, float c) {
    c = __builtin_fmaf(from_bf16(a & 0xffff), from_bf16(b & 0xffff), c);
    return __builtin_fmaf(from_bf16(a >> 16), from_bf16(b >> 16), c);
}
template<float (*A)(u8), float (*B)(u8)>
struct byte_dot {
    float operator()(u32 a, u32 b, float c) const {
        for (unsigned s = 0; s < 32; s += 8)
            c = __builtin_fmaf(A(static_cast<u8>(a >> s)), B(static_cast<u8>(b >> s)), c);
        return c;
    }
};

constexpr instruction dot_table[] = {
    vector_op(
        "v_fma_mix_f32", [](const op& o, u32 a, u32 b, u32 c) { return mix(o, a, b, c); }, mixed),
    vector_op(
        "v_fma_mixlo_f16", [](const op& o, u32 a, u32 b, u32 c) { return mix_half(o, a, b, c); },
        mixed),
    vector_op(
        "v_fma_mixhi_f16", [](const op& o, u32 a, u32 b, u32 c) { return mix_half(o, a, b, c); },
        mixed),
    vector_op("v_dot2_f32_f16",
              [](half_pair a, half_pair b, float c) { return half_dot(a.bits, b.bits, c); }),
    vector_op("v_dot2_f32_bf16",
              [](bf16_pair a, bf16_pair b, float c) { return bf16_dot(a.bits, b.bits, c); }),
    vector_op("v_dot2_f16_f16",
              [](half_pair a, half_pair b, half c) {
                  const half first = fma_half(half_at(a.bits, 0), half_at(b.bits, 0), c);
                  return fma_half(half_at(a.bits, 16), half_at(b.bits, 16), first);
              }),
    vector_op("v_dot2_bf16_bf16",
              [](bf16_pair a, bf16_pair b, bf16 c) -> bf16 {
                  const float first = __builtin_fmaf(from_bf16(a.bits & 0xffff),
                                                     from_bf16(b.bits & 0xffff), from_bf16(c.bits));
                  return {to_bf16(__builtin_fmaf(from_bf16(a.bits >> 16), from_bf16(b.bits >> 16),
                                                 from_bf16(to_bf16(first))))};
              }),
    vector_op("v_dot4_i32_iu8",
              [](const op& o, u32 a, u32 b, i32 c) { return signed_dot<8>(o, a, b, c); }),
    vector_op("v_dot8_i32_iu4",
              [](const op& o, u32 a, u32 b, i32 c) { return signed_dot<4>(o, a, b, c); }),
    vector_op("v_dot4_u32_u8",
              [](u32 a, u32 b, u32 c) { return integer_dot<8>(a, b, c, false, false); }),
    vector_op("v_dot8_u32_u4",
              [](u32 a, u32 b, u32 c) { return integer_dot<4>(a, b, c, false, false); }),
    vector_op("v_dot4_f32_fp8_fp8", byte_dot<from_fp8, from_fp8>{}),
    vector_op("v_dot4_f32_fp8_bf8", byte_dot<from_fp8, from_bf8>{}),
    vector_op("v_dot4_f32_bf8_fp8", byte_dot<from_bf8, from_fp8>{}),
    vector_op("v_dot4_f32_bf8_bf8", byte_dot<from_bf8, from_bf8>{}),
};
constexpr instruction rdna3_entries[] = {
    vector_op(
        "v_dot2acc_f32_f16",
        [](half_pair a, half_pair b, float c) { return half_dot(a.bits, b.bits, c); }, accumulate),
};

} // namespace

instruction_table vector_packed_table() {
    return packed_table;
}
instruction_table vector_dot_table() {
    return dot_table;
}
instruction_table rdna3_dot_table() {
    return rdna3_entries;
}

} // namespace r9v_emulator
