// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Conversions between number types.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <limits>

namespace r9v_emulator {
namespace {

/// Toward zero, as v_cvt_pk_rtz: overflow gives the largest finite half.
u16 half_toward_zero(float x) {
    const u16 h = bits_as<u16>(static_cast<half>(x));
    const float back = half_bits(h);
    const bool away = std::isfinite(x) && std::fabs(back) > std::fabs(x);
    return static_cast<u16>(away ? h - 1 : h);
}
u32 join(u32 low, u32 high) {
    return (low & 0xffff) | high << 16;
}
double wide(float x) {
    return static_cast<double>(x);
}
u32 snorm(float x) {
    return static_cast<u16>(static_cast<i16>(saturate_to<i16>(
        __builtin_roundeven(wide(std::clamp(x == x ? x : 0.0f, -1.0f, 1.0f)) * 32767.0))));
}
u32 unorm(float x) {
    return saturate_to<u16>(
        __builtin_roundeven(wide(std::clamp(x == x ? x : 0.0f, 0.0f, 1.0f)) * 65535.0));
}
u32 insert_byte(float x, u32 at, u32 into) {
    const unsigned shift = 8 * (at & 3);
    const u32 value = saturate_to<u8>(__builtin_roundeven(wide(x)));
    return (into & ~(0xffu << shift)) | value << shift;
}

constexpr instruction table[] = {
    vector_op("v_cvt_f32_i32", [](i32 a) { return static_cast<float>(a); }),
    vector_op("v_cvt_f32_u32", [](u32 a) { return static_cast<float>(a); }),
    vector_op("v_cvt_i32_f32", [](float a) { return saturate_to<i32>(std::trunc(wide(a))); }),
    vector_op("v_cvt_u32_f32", [](float a) { return saturate_to<u32>(std::trunc(wide(a))); }),
    vector_op("v_cvt_nearest_i32_f32",
              [](float a) { return saturate_to<i32>(std::floor(wide(a) + 0.5)); }),
    vector_op("v_cvt_floor_i32_f32", [](float a) { return saturate_to<i32>(std::floor(wide(a))); }),
    vector_op("v_cvt_f16_f32", [](float a) { return static_cast<half>(a); }),
    vector_op("v_cvt_f32_f16", [](half a) { return static_cast<float>(a); }),
    vector_op("v_cvt_f64_f32", [](float a) { return static_cast<double>(a); }),
    vector_op("v_cvt_f32_f64", [](double a) { return static_cast<float>(a); }),
    vector_op("v_cvt_f64_i32", [](i32 a) { return static_cast<double>(a); }),
    vector_op("v_cvt_f64_u32", [](u32 a) { return static_cast<double>(a); }),
    vector_op("v_cvt_i32_f64", [](double a) { return saturate_to<i32>(std::trunc(a)); }),
    vector_op("v_cvt_u32_f64", [](double a) { return saturate_to<u32>(std::trunc(a)); }),
    vector_op("v_cvt_f32_ubyte0", [](u32 a) { return static_cast<float>(a & 0xff); }),
    vector_op("v_cvt_f32_ubyte1", [](u32 a) { return static_cast<float>(a >> 8 & 0xff); }),
    vector_op("v_cvt_f32_ubyte2", [](u32 a) { return static_cast<float>(a >> 16 & 0xff); }),
    vector_op("v_cvt_f32_ubyte3", [](u32 a) { return static_cast<float>(a >> 24); }),
    vector_op("v_cvt_off_f32_i4",
              [](u32 a) { return static_cast<float>(static_cast<i32>((a & 15) ^ 8) - 8) / 16.0f; }),
    vector_op("v_cvt_f16_u16", [](u16 a) { return static_cast<half>(static_cast<float>(a)); }),
    vector_op("v_cvt_f16_i16", [](i16 a) { return static_cast<half>(static_cast<float>(a)); }),
    vector_op("v_cvt_u16_f16",
              [](half a) { return saturate_to<u16>(std::trunc(wide(static_cast<float>(a)))); }),
    vector_op("v_cvt_i16_f16",
              [](half a) { return saturate_to<i16>(std::trunc(wide(static_cast<float>(a)))); }),
    vector_op("v_cvt_pk_rtz_f16_f32",
              [](float a, float b) { return join(half_toward_zero(a), half_toward_zero(b)); }),
    vector_op("v_cvt_pk_i16_f32",
              [](float a, float b) {
                  return join(static_cast<u16>(saturate_to<i16>(std::trunc(wide(a)))),
                              static_cast<u16>(saturate_to<i16>(std::trunc(wide(b)))));
              }),
    vector_op("v_cvt_pk_u16_f32",
              [](float a, float b) {
                  return join(saturate_to<u16>(std::trunc(wide(a))),
                              saturate_to<u16>(std::trunc(wide(b))));
              }),
    vector_op("v_cvt_pk_i16_i32",
              [](i32 a, i32 b) {
                  return join(static_cast<u16>(saturate_to<i16>(a)),
                              static_cast<u16>(saturate_to<i16>(b)));
              }),
    vector_op("v_cvt_pk_u16_u32",
              [](u32 a, u32 b) { return join(std::min(a, 0xffffu), std::min(b, 0xffffu)); }),
    vector_op("v_cvt_pk_norm_i16_f32", [](float a, float b) { return join(snorm(a), snorm(b)); }),
    vector_op("v_cvt_pk_norm_u16_f32", [](float a, float b) { return join(unorm(a), unorm(b)); }),
    vector_op("v_cvt_pk_norm_i16_f16",
              [](half a, half b) {
                  return join(snorm(static_cast<float>(a)), snorm(static_cast<float>(b)));
              }),
    vector_op("v_cvt_pk_norm_u16_f16",
              [](half a, half b) {
                  return join(unorm(static_cast<float>(a)), unorm(static_cast<float>(b)));
              }),
    vector_op("v_cvt_norm_i16_f16",
              [](half a) { return static_cast<u16>(snorm(static_cast<float>(a))); }),
    vector_op("v_cvt_norm_u16_f16",
              [](half a) { return static_cast<u16>(unorm(static_cast<float>(a))); }),
    vector_op("v_cvt_pk_u8_f32", [](float a, u32 b, u32 c) { return insert_byte(a, b, c); }),
};

template<int Mantissa, int Bias, bool Infinite>
u8 narrow(float x, bool saturate) {
    const u8 sign = std::signbit(x) ? 0x80 : 0;
    // The largest code that is finite: e4m3 has one NaN above it, e5m2 infinity and NaNs.
    constexpr int largest = Infinite ? 0x7b : 0x7e;
    constexpr u8 infinity = 0x7c;
    if (x != x) return Infinite ? 0xfe : 0xff;
    if (x == 0) return sign;
    const double magnitude = std::fabs(wide(x));
    // Saturation is for finite values alone (measured on RDNA4).
    if (std::isinf(magnitude)) return static_cast<u8>(sign | (Infinite ? infinity : 0x7f));
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // Value of one unit of the last mantissa bit; denormals share the smallest exponent.
    const int unit = std::max(exponent - 1, 1 - Bias) - Mantissa;
    const double steps = __builtin_roundeven(std::ldexp(std::min(magnitude, 1e9), -unit));
    int code = static_cast<int>(steps);
    if (unit > 1 - Bias - Mantissa || code >= (1 << Mantissa))
        code += (unit + Mantissa + Bias - 1) << Mantissa;
    if (code > largest) code = saturate ? largest : Infinite ? infinity : 0x7f;
    return static_cast<u8>(sign | code);
}

/// Random bits below the kept ones are added to the significand and the sum is cut off. A value
/// below the normal range is first brought to the smallest exponent, which drops bits (measured on
/// RDNA4).
template<int Mantissa, int Bias, bool Infinite>
u8 narrow_random(float x, u32 random, bool saturate) {
    constexpr u32 overflow = Infinite ? 0x7c : 0x7f;
    const u32 bits = bits_as<u32>(x), magnitude = bits & 0x7fffffffu;
    const u8 sign = std::signbit(x) ? 0x80 : 0;
    if (x != x) return Infinite ? 0xfe : 0xff;
    if (std::isinf(x)) return static_cast<u8>(sign | overflow);
    const int exponent = static_cast<int>(magnitude >> 23) - 127 + Bias;
    const int below = std::clamp(1 - exponent, 0, 31);
    const u32 significand = ((magnitude & 0x7fffffu) | 0x800000u) >> below;
    const u32 kept = (significand + (random >> (9 + Mantissa))) >> (23 - Mantissa);
    const u32 code = (static_cast<u32>(std::max(exponent, 1) - 1) << Mantissa) + kept;
    return static_cast<u8>(sign | std::min(code, overflow - (saturate ? 1u : 0u)));
}

template<int Mantissa, int Bias>
float widen(u8 bits) {
    const int exponent = (bits & 0x7f) >> Mantissa, fraction = bits & ((1 << Mantissa) - 1);
    const double magnitude =
        exponent ? std::ldexp(fraction + (1 << Mantissa), exponent - Bias - Mantissa)
                 : std::ldexp(fraction, 1 - Bias - Mantissa);
    return static_cast<float>(bits & 0x80 ? -magnitude : magnitude);
}

} // namespace

u8 to_fp8(float x, bool saturate) {
    return narrow<3, 7, false>(x, saturate);
}
u8 to_bf8(float x, bool saturate) {
    return narrow<2, 15, true>(x, saturate);
}
u8 to_fp8_random(float x, u32 random, bool saturate) {
    return narrow_random<3, 7, false>(x, random, saturate);
}
u8 to_bf8_random(float x, u32 random, bool saturate) {
    return narrow_random<2, 15, true>(x, random, saturate);
}
float from_fp8(u8 bits) {
    return (bits & 0x7f) == 0x7f ? std::numeric_limits<float>::quiet_NaN() : widen<3, 7>(bits);
}
float from_bf8(u8 bits) {
    // e5m2 is the high byte of a half.
    return half_bits(static_cast<u32>(bits) << 8);
}

instruction_table vector_convert_table() {
    return table;
}

} // namespace r9v_emulator
