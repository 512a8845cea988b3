// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Conversions between element types and float or double. All work on bits, so they give the same
// result on host and device and under -ffast-math, and none depends on the rounding mode.
//
//               beyond the largest value    infinity         NaN
//   half, bf16  infinity                    infinity         quiet NaN, sign and upper payload kept
//   fp8         largest finite value        largest finite   NaN: 0xff (e4m3), 0xfe (e5m2)
//   integers    largest or lowest value     the same         0
//
// These are the results of gfx12's own conversions (v_cvt_f16_f32, v_cvt_pk_fp8_f32 of a clamped
// value, ...), NaN codes included, so that a kernel may use either. The NaN codes of fp8 are those
// that AMD's simulator rocjitsu (github.com/ROCm/rocm-systems) states as measured on gfx1201.
#pragma once

#include <r9v/numeric/bits.hpp>
#include <r9v/numeric/element.hpp>
#include <r9v/numeric/round.hpp>

#include <cstdint>
#include <type_traits>

namespace r9v::inline R9V_ABI {

namespace numeric {

/// A float or double taken apart: |value| = significand * 2^(exponent - bias - mantissa_bits).
template<class Float>
struct parts {
    using format = typename format_of<Float>::type;
    using bits_type = carrier_t<Float>;
    static constexpr bits_type infinity = static_cast<bits_type>(format::top_exponent);

    bits_type magnitude;
    bool negative;

    R9V_HD constexpr explicit parts(Float value) : magnitude{opaque_bits(value)}, negative{false} {
        negative = (magnitude >> format::sign_shift) != 0;
        magnitude &= (bits_type{1} << format::sign_shift) - 1;
    }
    [[nodiscard]] R9V_HD constexpr bool is_nan() const { return magnitude > infinity; }
    [[nodiscard]] R9V_HD constexpr bool is_inf() const { return magnitude == infinity; }
    [[nodiscard]] R9V_HD constexpr int exponent() const {
        const int field = static_cast<int>(magnitude >> format::mantissa_bits);
        return field == 0 ? 1 : field; // denormals share the smallest normal exponent
    }
    [[nodiscard]] R9V_HD constexpr bits_type significand() const {
        constexpr bits_type one = bits_type{1} << format::mantissa_bits;
        return (magnitude & (one - 1)) | (magnitude < one ? 0 : one);
    }
};

/// Sign, exponent and mantissa of `To` for a NaN of `Float`.
template<class To, class Float>
[[nodiscard]] R9V_HD constexpr std::uint32_t encode_nan(parts<Float> value) {
    using to = typename format_of<To>::type;
    if constexpr (is_fp8<To>) {
        return to::has_infinity ? 0xfeu : 0xffu;
    } else {
        constexpr int drop = parts<Float>::format::mantissa_bits - to::mantissa_bits;
        constexpr std::uint32_t mantissa = (1u << to::mantissa_bits) - 1;
        constexpr std::uint32_t quiet = 1u << (to::mantissa_bits - 1);
        const std::uint32_t payload =
            static_cast<std::uint32_t>(value.magnitude >> drop) & mantissa;
        return (value.negative ? 1u << to::sign_shift : 0u) |
               static_cast<std::uint32_t>(to::top_exponent) | quiet | payload;
    }
}

/// The bits of `To` nearest to a float or double, by one rounding.
template<class To, class Float, class Rounding>
[[nodiscard]] R9V_HD constexpr std::uint32_t encode(Float source, Rounding round) {
    using to = typename format_of<To>::type;
    using from = typename format_of<Float>::type;
    using bits_type = carrier_t<Float>;
    constexpr bits_type largest = static_cast<bits_type>(to::largest);
    constexpr bits_type overflow = largest + (is_fp8<To> ? 0 : 1);
    constexpr int drop = from::mantissa_bits - to::mantissa_bits;
    constexpr int smallest = from::bias - to::bias + 1; // exponent field of To's smallest normal

    const parts<Float> value{source};
    if (value.is_nan()) return encode_nan<To>(value);

    // Below the normal range the unit stays and more bits drop. A carry out of the mantissa is the
    // next exponent, which is what it should be; out of the last exponent it is beyond `largest`.
    const int exponent = value.exponent();
    const int missing = exponent < smallest ? smallest - exponent : 0;
    const int base = exponent < smallest ? 0 : exponent - smallest;
    const bits_type rounded = round(value.significand(), drop + missing, drop);
    bits_type code = (static_cast<bits_type>(base) << to::mantissa_bits) + rounded;
    if (code > largest) code = Rounding::keeps_finite ? largest : overflow;
    if (value.is_inf()) code = overflow;
    return static_cast<std::uint32_t>(code) | (value.negative ? 1u << to::sign_shift : 0u);
}

/// The integer nearest to a float or double, saturated.
template<class To, class Float, class Rounding>
[[nodiscard]] R9V_HD constexpr To round_to_integer(Float source, Rounding round) {
    using from = typename format_of<Float>::type;
    using bits_type = carrier_t<Float>;
    constexpr std::uint32_t largest = static_cast<std::uint32_t>(element<To>::max_finite);
    constexpr std::uint32_t lowest = static_cast<std::uint32_t>(-element<To>::lowest);

    const parts<Float> value{source};
    if (value.is_nan()) return To{0};
    const std::uint32_t limit = value.negative ? lowest : largest;
    const int shift = from::bias + from::mantissa_bits - value.exponent();
    std::uint32_t magnitude = limit;
    if (value.exponent() < from::bias + 32) {
        const bits_type integer = shift > 0
                                      ? round(value.significand(), shift, from::mantissa_bits + 1)
                                      : value.significand() << -shift;
        if (integer < limit) magnitude = static_cast<std::uint32_t>(integer);
    }
    return static_cast<To>(value.negative ? 0u - magnitude : magnitude);
}

/// The bits of the float or double that equals a value of a floating element type.
template<class Float, class From>
[[nodiscard]] R9V_HD constexpr carrier_t<Float> decode(From value) {
    using to = typename format_of<Float>::type;
    using from = typename format_of<From>::type;
    using bits_type = carrier_t<Float>;
    constexpr int added = to::mantissa_bits - from::mantissa_bits;
    constexpr std::uint32_t sign = 1u << from::sign_shift;
    constexpr std::uint32_t one = 1u << from::mantissa_bits;
    constexpr bits_type rebias = static_cast<bits_type>(to::bias - from::bias) * one;
    constexpr bits_type infinity = static_cast<bits_type>(to::top_exponent);
    constexpr bits_type quiet = bits_type{1} << (to::mantissa_bits - 1);

    const std::uint32_t magnitude = value.bits & (sign - 1);
    const bits_type negative = static_cast<bits_type>((value.bits & sign) != 0) << to::sign_shift;
    if (magnitude <= from::largest) {
        if (magnitude >= one) return negative | (magnitude + rebias) << added;
        // Denormal or zero: a small integer times the unit, both normal in Float.
        constexpr Float unit = static_cast<Float>(element<From>::min_positive);
        return negative | r9v::bit_cast<bits_type>(static_cast<Float>(magnitude) * unit);
    }
    if (from::has_infinity && magnitude == from::top_exponent) return negative | infinity;
    if constexpr (is_fp8<From>)
        return (bits_type{1} << to::sign_shift) | infinity | quiet;
    else
        return negative | infinity | quiet | static_cast<bits_type>(magnitude) << added;
}

template<class To, class Float, class Rounding>
[[nodiscard]] R9V_HD constexpr To convert(Float value, Rounding round) {
    if constexpr (std::is_same_v<To, Float>)
        return value;
    else if constexpr (std::is_same_v<To, float>)
        return from_opaque_bits<float>(encode<float>(value, round));
    else if constexpr (is_floating_element<To>)
        return To::from_bits(static_cast<decltype(To::bits)>(encode<To>(value, round)));
    else
        return round_to_integer<To>(value, round);
}

} // namespace numeric

/// The value as float. Exact, except for int32 beyond 2^24 in magnitude: nearest, ties to even.
/// A NaN of half or fp8 becomes a quiet one; a bf16 is a float's upper half and stays as it is.
template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr float to_float(T value) {
    if constexpr (std::is_same_v<T, bf16>)
        return r9v::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
    else if constexpr (is_floating_element<T> && !std::is_same_v<T, float>)
        return numeric::from_opaque_bits<float>(numeric::decode<float>(value));
    else
        return static_cast<float>(value);
}

/// The value as double; exact.
template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr double to_double(T value) {
    if constexpr (is_floating_element<T> && !std::is_same_v<T, float>)
        return numeric::from_opaque_bits<double>(numeric::decode<double>(value));
    else
        return static_cast<double>(value);
}

/// The nearest T, ties to even; see the table above for what lies outside T's range.
template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr T from_float(float value) {
    return numeric::convert<T>(value, numeric::nearest_even{});
}

/// The nearest T to a double by one rounding: by way of float, a value just above the middle of two
/// neighbours could round to the middle first and then down.
template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr T from_double(double value) {
    return numeric::convert<T>(value, numeric::nearest_even{});
}

/// One of the two T next to the value, the nearer the likelier, so that the mean of many is the
/// value (numeric::stochastic has the method and its resolution). A representable value is kept.
/// `random` is 32 uniform bits, such as random_bits(seed, index). Unlike from_float, finite values
/// beyond the largest saturate in every type, since infinity has no distance to weigh.
template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr T from_float_stochastic(float value, std::uint32_t random) {
    return numeric::convert<T>(value, numeric::stochastic{random});
}

template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr bool is_nan(T value) {
    if constexpr (!is_floating_element<T>)
        return false;
    else {
        using format = typename numeric::format_of<T>::type;
        constexpr std::uint32_t magnitude = (1u << format::sign_shift) - 1;
        return (value.bits & magnitude) > format::largest + format::has_infinity;
    }
}

template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr bool is_finite(T value) {
    if constexpr (!is_floating_element<T>)
        return true;
    else {
        using format = typename numeric::format_of<T>::type;
        constexpr std::uint32_t magnitude = (1u << format::sign_shift) - 1;
        return (value.bits & magnitude) <= format::largest;
    }
}

template<class T>
    requires is_element<T>
[[nodiscard]] R9V_HD constexpr bool is_inf(T value) {
    return !is_nan(value) && !is_finite(value);
}

} // namespace r9v::inline R9V_ABI
