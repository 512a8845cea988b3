// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Arithmetic of one lane as the ISA defines it, written so that loops over lanes vectorise.
#pragma once

#include "vector.hpp"
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace r9v_emulator {

template<class T>
using bits_of_type =
    std::conditional_t<sizeof(T) == 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>;

/// Quiets a signalling NaN; other values pass.
template<class T>
inline T quiet(T x) {
    return x != x ? static_cast<T>(x + x) : x;
}

// IEEE 754-2019 minimumNumber and maximumNumber: a NaN loses, -0 is below +0.
template<class T>
inline T min_num(T a, T b) {
    using bits = bits_of_type<T>;
    const T zero = bits_as<T>(static_cast<bits>(bits_as<bits>(a) | bits_as<bits>(b)));
    T r = a < b ? a : b;
    r = a == b ? zero : r;
    r = a != a ? quiet(b) : r;
    return b != b ? quiet(a) : r;
}
template<class T>
inline T max_num(T a, T b) {
    using bits = bits_of_type<T>;
    const T zero = bits_as<T>(static_cast<bits>(bits_as<bits>(a) & bits_as<bits>(b)));
    T r = a > b ? a : b;
    r = a == b ? zero : r;
    r = a != a ? quiet(b) : r;
    return b != b ? quiet(a) : r;
}
// minimum and maximum: a NaN wins.
template<class T>
inline T minimum(T a, T b) {
    const T r = min_num(a, b);
    const T with_a = a != a ? quiet(a) : r;
    return b != b ? quiet(b) : with_a;
}
template<class T>
inline T maximum(T a, T b) {
    const T r = max_num(a, b);
    const T with_a = a != a ? quiet(a) : r;
    return b != b ? quiet(b) : with_a;
}
template<class T>
inline T median_num(T a, T b, T c) {
    const bool nan = a != a || b != b || c != c;
    const T low = min_num(a, b), high = max_num(a, b);
    const T middle = max_num(low, min_num(high, c));
    return nan ? min_num(low, c) : middle;
}
template<class T>
inline T median(T a, T b, T c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// double to float, rounded to odd: a second rounding to a narrower type is then exact.
inline float to_odd(double x) {
    float f = static_cast<float>(x);
    const double back = static_cast<double>(f);
    const u32 b = bits_as<u32>(f);
    const bool away = back > x ? x >= 0 : x < 0; // rounded away from zero
    const bool inexact = back != x && x == x;
    const u32 truncated = inexact && away ? b - 1 : b;
    return bits_as<float>(inexact ? truncated | 1u : b);
}
inline half fma_half(half a, half b, half c) {
    const double exact =
        static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b));
    const double addend = static_cast<double>(static_cast<float>(c));
    // The sum itself may be inexact in double only when the smaller term cannot reach a rounding
    // boundary of a half, except for its sign: rounding to odd keeps that.
    const double sum = exact + addend;
    const double error = (exact - (sum - (sum - exact))) + (addend - (sum - exact));
    u64 bits = bits_as<u64>(sum);
    if (error != 0 && sum != 0 && std::isfinite(sum)) {
        const bool toward_zero = (error > 0) != (sum > 0);
        if (toward_zero) --bits;
        bits |= 1;
    }
    return static_cast<half>(to_odd(bits_as<double>(bits)));
}

inline float from_bf16(u32 bits) {
    return bits_as<float>(bits << 16);
}
/// Round to nearest even; NaN stays NaN.
inline u16 to_bf16(float x) {
    const u32 b = bits_as<u32>(x);
    if (x != x) return static_cast<u16>((b >> 16) | 0x40);
    return static_cast<u16>((b + 0x7fffu + (b >> 16 & 1)) >> 16);
}
inline float half_bits(u32 bits) {
    return static_cast<float>(bits_as<half>(static_cast<u16>(bits)));
}

/// float to integer with saturation; NaN gives 0.
template<class T>
inline T saturate_to(double x) {
    constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<T>::max());
    const double clamped = x > low ? (x < high ? x : high) : low;
    return static_cast<T>(x == x ? clamped : 0.0);
}

template<class T>
inline int exponent_field(T x) {
    if constexpr (sizeof(T) == 8)
        return static_cast<int>(bits_as<u64>(x) >> 52 & 0x7ff);
    else
        return static_cast<int>(bits_as<u32>(x) >> 23 & 0xff);
}
template<class T>
inline bool is_denormal(T x) {
    return x != 0 && exponent_field(x) == 0;
}

template<class T>
with_mask<T> div_scale(T value, T denominator, T numerator);
template<class T>
T div_fixup(T quotient, T denominator, T numerator);
template<class T>
T div_fmas(T a, T b, T c, bool scaled);

// OCP 8-bit floats. Overflow gives NaN (e4m3) or infinity (e5m2); the saturating form, chosen by
// MODE.FP16_OVFL, gives the largest finite value.
u8 to_fp8(float x, bool saturate);
u8 to_bf8(float x, bool saturate);
/// Rounded up or down by random bits, of which the uppermost count.
u8 to_fp8_random(float x, u32 random, bool saturate);
u8 to_bf8_random(float x, u32 random, bool saturate);
float from_fp8(u8 bits);
float from_bf8(u8 bits);

// Within one unit in the last place of f32; denormal inputs and results flush to zero where the
// hardware's do.
float exp2_unit(float x);
float log2_unit(float x);
float rcp_unit(float x);
float rsq_unit(float x);
float sqrt_unit(float x);
float sin_unit(float x);
float cos_unit(float x);

} // namespace r9v_emulator
