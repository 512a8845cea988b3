// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Conversions; the 8-bit floats over all codes, against the definition in OCP's specification.
#include "bench.hpp"
#include <algorithm>

namespace instructions {
namespace {

using in = const lane_input&;
float x(in i, int n) {
    return f32(i.v[n]);
}
double w(float v) {
    return static_cast<double>(v);
}
double d(in i, int n) {
    return f64(i.v[2 * n], i.v[2 * n + 1]);
}

template<class T>
u32 truncated(double v) {
    if (v != v) return 0;
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<u32>(static_cast<i64>(std::clamp(std::trunc(v), low, high)));
}
u32 half_toward_zero(float v) {
    if (v != v) return 0x7e00;
    if (std::isinf(v)) return std::signbit(v) ? 0xfc00 : 0x7c00;
    u32 code = 0;
    while (code < 0x7bff && std::fabs(w(v)) >= static_cast<double>(from_half(code + 1)))
        ++code;
    return code | (std::signbit(v) ? 0x8000u : 0);
}

/// Value of an 8-bit code: sign, exponent, mantissa.
double code_value(u32 code, int mantissa_bits, int bias) {
    const int exponent = static_cast<int>((code & 0x7f) >> mantissa_bits);
    const int fraction = static_cast<int>(code & ((1u << mantissa_bits) - 1));
    const double magnitude =
        exponent ? std::ldexp(1.0 + std::ldexp(fraction, -mantissa_bits), exponent - bias)
                 : std::ldexp(fraction, 1 - bias - mantissa_bits);
    return code & 0x80 ? -magnitude : magnitude;
}
/// Nearest code, ties to the even one; beyond the largest by half a step is overflow.
u32 nearest_code(float v, int mantissa_bits, int bias, u32 largest, u32 overflow) {
    const u32 sign = std::signbit(v) ? 0x80u : 0;
    if (v != v) return sign | 0x7f;
    const double magnitude = std::fabs(w(v));
    u32 best = 0;
    double distance = INFINITY;
    for (u32 code = 0; code <= largest + 1; ++code) {
        const double step = std::fabs(code_value(code, mantissa_bits, bias) - magnitude);
        if (step < distance || (step == distance && code % 2 == 0)) best = code, distance = step;
    }
    if (std::isinf(v) || best > largest) best = overflow;
    return sign | best;
}
u32 fp8(float v) {
    return nearest_code(v, 3, 7, 0x7e, 0x7f);
}
u32 bf8(float v) {
    return nearest_code(v, 2, 15, 0x7b, 0x7c);
}
bool nan8(u32 a, bool e5m2) {
    return e5m2 ? (a & 0x7f) > 0x7c : (a & 0x7f) == 0x7f;
}

TEST(convert, integers_and_floats) {
    run_vector_cases(
        {
            {"v_cvt_i32_f32 v20, v1",
             [](in i) {
                 return word(truncated<i32>(w(x(i, 0))));
             }},
            {"v_cvt_u32_f32 v20, v1",
             [](in i) {
                 return word(truncated<u32>(w(x(i, 0))));
             }},
            {"v_cvt_floor_i32_f32 v20, v1",
             [](in i) {
                 return word(truncated<i32>(std::floor(w(x(i, 0)))));
             }},
            {"v_cvt_nearest_i32_f32 v20, v1",
             [](in i) {
                 return word(truncated<i32>(std::floor(w(x(i, 0)) + 0.5)));
             }},
            {"v_cvt_f16_f32 v20, v1", [](in i) { return low_half(i, round_to_half(w(x(i, 0)))); },
             match::f16},
            {"v_cvt_pk_rtz_f16_f32 v20, v1, v2",
             [](in i) { return word(half_toward_zero(x(i, 0)) | half_toward_zero(x(i, 1)) << 16); },
             match::packed_f16},
            {"v_cvt_f64_f32 v[20:21], v1", [](in i) { return wide(w(x(i, 0))); }, match::f64, false,
             true},
            {"v_cvt_pk_i16_f32 v20, v1, v2",
             [](in i) {
                 return word((truncated<i16>(w(x(i, 0))) & 0xffff) | truncated<i16>(w(x(i, 1)))
                                                                         << 16);
             }},
            {"v_cvt_pk_u16_f32 v20, v1, v2",
             [](in i) {
                 return word(truncated<u16>(w(x(i, 0))) | truncated<u16>(w(x(i, 1))) << 16);
             }},
            {"v_cvt_pk_u8_f32 v20, v1, 2, v3",
             [](in i) {
                 return word((i.v[2] & 0xff00ffffu) | truncated<u8>(std::nearbyint(w(x(i, 0))))
                                                          << 16);
             }},
            {"v_cvt_pk_norm_i16_f32 v20, v1, v2",
             [](in i) {
                 const auto n = [](float v) {
                     return v != v ? 0u
                                   : static_cast<u32>(static_cast<i32>(
                                         std::nearbyint(std::clamp(w(v), -1.0, 1.0) * 32767))) &
                                         0xffff;
                 };
                 return word(n(x(i, 0)) | n(x(i, 1)) << 16);
             }},
        },
        input_kind::floats, 9001);
    run_vector_cases(
        {
            {"v_cvt_f32_i32 v20, v1",
             [](in i) {
                 return word(static_cast<float>(static_cast<i32>(i.v[0])));
             }},
            {"v_cvt_f32_u32 v20, v1",
             [](in i) {
                 return word(static_cast<float>(i.v[0]));
             }},
            {"v_cvt_f64_i32 v[20:21], v1",
             [](in i) { return wide(static_cast<double>(static_cast<i32>(i.v[0]))); }, match::f64,
             false, true},
            {"v_cvt_f32_ubyte0 v20, v1",
             [](in i) {
                 return word(static_cast<float>(i.v[0] & 255));
             }},
            {"v_cvt_f32_ubyte1 v20, v1",
             [](in i) {
                 return word(static_cast<float>(i.v[0] >> 8 & 255));
             }},
            {"v_cvt_f32_ubyte2 v20, v1",
             [](in i) {
                 return word(static_cast<float>(i.v[0] >> 16 & 255));
             }},
            {"v_cvt_f32_ubyte3 v20, v1",
             [](in i) {
                 return word(static_cast<float>(i.v[0] >> 24));
             }},
            {"v_cvt_f32_f16 v20, v1", [](in i) { return word(from_half(i.v[0] & 0xffff)); },
             match::f32},
            {"v_cvt_f16_u16 v20, v1",
             [](in i) { return low_half(i, round_to_half(i.v[0] & 0xffff)); }, match::f16},
            {"v_cvt_f16_i16 v20, v1",
             [](in i) { return low_half(i, round_to_half(static_cast<i16>(i.v[0]))); }, match::f16},
            {"v_cvt_i16_f16 v20, v1",
             [](in i) {
                 return low_half(i,
                                 static_cast<u16>(truncated<i16>(w(from_half(i.v[0] & 0xffff)))));
             }},
            {"v_cvt_pk_i16_i32 v20, v1, v2",
             [](in i) {
                 return word((truncated<i16>(static_cast<i32>(i.v[0])) & 0xffff) |
                             truncated<i16>(static_cast<i32>(i.v[1])) << 16);
             }},
            {"v_cvt_off_f32_i4 v20, v1",
             [](in i) {
                 return word(static_cast<float>(static_cast<i32>(i.v[0] << 28) >> 28) / 16.0f);
             }},
        },
        input_kind::bits, 9002);
    run_vector_cases(
        {
            {"v_cvt_f32_f64 v20, v[1:2]", [](in i) { return word(static_cast<float>(d(i, 0))); },
             match::f32},
            {"v_cvt_i32_f64 v20, v[1:2]",
             [](in i) {
                 return word(truncated<i32>(d(i, 0)));
             }},
            {"v_cvt_u32_f64 v20, v[1:2]",
             [](in i) {
                 return word(truncated<u32>(d(i, 0)));
             }},
        },
        input_kind::doubles, 9003);
}

TEST(convert, eight_bit_floats_from_f32) {
    // Values spread over the range of the formats, with ties and overflow among them.
    const std::string value =
        "v_bfe_i32 v7, v1, 0, 20\n v_cvt_f32_i32 v7, v7\n v_bfe_u32 v8, v1, 20, 5\n"
        " v_sub_nc_u32 v8, 0, v8\n v_ldexp_f32 v7, v7, v8\n";
    const auto v = [](in i) {
        return std::ldexp(static_cast<float>(static_cast<i32>(i.v[0] << 12) >> 12),
                          -static_cast<int>(i.v[0] >> 20 & 31));
    };
    run_vector_cases(
        {
            {value + " v_cvt_pk_fp8_f32 v20, v7, 1.0",
             [=](in i) {
                 return word((i.old[0] & 0xffff0000u) | fp8(v(i)) | 0x3800);
             }},
            {value + " v_cvt_pk_fp8_f32 v20, v7, -v7 op_sel:[0,0,1]",
             [=](in i) {
                 return word((i.old[0] & 0xffff) | fp8(v(i)) << 16 | fp8(-v(i)) << 24);
             }},
            {value + " v_cvt_pk_bf8_f32 v20, v7, 1.0",
             [=](in i) {
                 return word((i.old[0] & 0xffff0000u) | bf8(v(i)) | 0x3c00);
             }},
            // FP16_OVFL (bit 23 of MODE): overflow gives the largest finite value.
            {value +
                 " s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n v_cvt_pk_fp8_f32 v20, v7, 1.0",
             [=](in i) {
                 const u32 code = fp8(v(i));
                 return word((i.old[0] & 0xffff0000u) |
                             (nan8(code, false) ? (code & 0x80) | 0x7e : code) | 0x3800);
             }},
        },
        input_kind::bits, 9004);
}

/// The code below, in `steps` of 2^-bits towards the next one: the random bits say which it is.
u32 random_code(float v, u32 random, int mantissa_bits, int bias, u32 overflow) {
    const u32 sign = std::signbit(v) ? 0x80u : 0;
    const double magnitude = std::fabs(w(v));
    u32 below = 0;
    while (below + 1 < overflow && code_value(below + 1, mantissa_bits, bias) <= magnitude)
        ++below;
    const double low = code_value(below, mantissa_bits, bias);
    const double step = code_value(below + 1, mantissa_bits, bias) - low;
    const int bits = 23 - mantissa_bits;
    const double part = std::floor(std::ldexp((magnitude - low) / step, bits));
    const double added = part + (random >> (32 - bits));
    return sign | std::min(overflow, below + (added >= std::ldexp(1, bits) ? 1u : 0u));
}

TEST(convert, stochastic_rounding) {
    const std::string value =
        "v_bfe_i32 v7, v1, 0, 20\n v_cvt_f32_i32 v7, v7\n v_bfe_u32 v8, v1, 20, 5\n"
        " v_sub_nc_u32 v8, 0, v8\n v_ldexp_f32 v7, v7, v8\n";
    const auto v = [](in i) {
        return std::ldexp(static_cast<float>(static_cast<i32>(i.v[0] << 12) >> 12),
                          -static_cast<int>(i.v[0] >> 20 & 31));
    };
    const auto narrow = [=](in i) {
        const float x = v(i);
        return std::fabs(x) >= 480 ? (std::signbit(x) ? 0xffu : 0x7fu)
                                   : random_code(x, i.v[1], 3, 7, 0x7f);
    };
    run_vector_cases(
        {
            {value + " v_cvt_sr_fp8_f32 v20, v7, v2",
             [=](in i) {
                 return word((i.old[0] & 0xffffff00u) | narrow(i));
             }},
            {value + " v_cvt_sr_fp8_f32 v20, v7, v2 byte_sel:2",
             [=](in i) {
                 return word((i.old[0] & 0xff00ffffu) | narrow(i) << 16);
             }},
            {value + " v_cvt_sr_bf8_f32 v20, v7, v2 byte_sel:3",
             [=](in i) {
                 const float x = v(i);
                 const u32 code = std::fabs(x) >= 65536 ? (std::signbit(x) ? 0xfcu : 0x7cu)
                                                        : random_code(x, i.v[1], 2, 15, 0x7c);
                 return word((i.old[0] & 0xffffffu) | code << 24);
             }},
            // Nothing is added to zero, and its sign stays.
            {"v_and_b32 v7, 0x80000000, v1\n v_cvt_sr_fp8_f32 v20, v7, 0",
             [=](in i) {
                 return word((i.old[0] & 0xffffff00u) | (i.v[0] >> 31) << 7);
             }},
            {"v_mov_b32 v7, 0xff800000\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n "
             "v_cvt_sr_bf8_f32 v20, v7, v2",
             [=](in i) {
                 return word((i.old[0] & 0xffffff00u) | 0xfc);
             }},
        },
        input_kind::bits, 9006);
}

TEST(convert, eight_bit_floats_to_f32) {
    const auto from = [](u32 code, bool e5m2) {
        if (nan8(code, e5m2)) return NAN;
        if (e5m2 && (code & 0x7f) == 0x7c) return code & 0x80 ? -INFINITY : INFINITY;
        return static_cast<float>(e5m2 ? code_value(code, 2, 15) : code_value(code, 3, 7));
    };
    run_vector_cases(
        {
            {"v_cvt_f32_fp8 v20, v1", [=](in i) { return word(from(i.v[0] & 255, false)); },
             match::f32},
            {"v_cvt_f32_fp8 v20, v1 byte_sel:1",
             [=](in i) { return word(from(i.v[0] >> 8 & 255, false)); }, match::f32},
            {"v_cvt_f32_fp8 v20, v1 byte_sel:3",
             [=](in i) { return word(from(i.v[0] >> 24, false)); }, match::f32},
            {"v_cvt_f32_bf8 v20, v1 byte_sel:2",
             [=](in i) { return word(from(i.v[0] >> 16 & 255, true)); }, match::f32},
            {"v_cvt_pk_f32_fp8 v[20:21], v1",
             [=](in i) { return lane_output{bits(from(i.v[0] & 255, false)), 0, false}; },
             match::f32},
            {"v_cvt_pk_f32_bf8 v[20:21], v1 op_sel:[1,0]",
             [=](in i) { return lane_output{bits(from(i.v[0] >> 16 & 255, true)), 0, false}; },
             match::f32},
            {"v_cvt_pk_f32_fp8 v[20:21], v1\n v_mov_b32 v20, v21",
             [=](in i) { return word(from(i.v[0] >> 8 & 255, false)); }, match::f32},
        },
        input_kind::bits, 9005);
}

} // namespace
} // namespace instructions
