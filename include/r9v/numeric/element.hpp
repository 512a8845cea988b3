// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a tensor can hold, and the figures of each type that rules, messages and error bounds need.
#pragma once

#include <r9v/numeric/types.hpp>

#include <cstdint>
#include <type_traits>

namespace r9v::inline R9V_ABI {

namespace numeric {

/// 2^power, for -1022 <= power <= 1023.
[[nodiscard]] R9V_HD constexpr double power_of_two(int power) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(power + 1023) << 52);
}

/// A binary floating-point format: sign, exponent with the IEEE bias, mantissa.
/// `Largest` is the code of the largest finite value.
template<int ExponentBits, int MantissaBits, std::uint64_t Largest>
struct binary_format {
    static constexpr int mantissa_bits = MantissaBits;
    static constexpr int sign_shift = ExponentBits + MantissaBits;
    static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    static constexpr std::uint64_t largest = Largest;
    /// All exponent bits set and no mantissa bit: infinity, where the format has it.
    static constexpr std::uint64_t top_exponent = ((1ull << ExponentBits) - 1) << MantissaBits;
    static constexpr bool has_infinity = largest + 1 == top_exponent;
};

struct not_an_element {
    static constexpr bool known = false;
};

template<class Format>
struct floating_element {
    using format = Format;
    static constexpr bool known = true;
    static constexpr bool is_floating = true;
    static constexpr bool is_signed = true;
    /// Width of the type.
    static constexpr int bits = Format::sign_shift + 1;
    static constexpr double max_finite =
        static_cast<double>(Format::largest % (1ull << Format::mantissa_bits) +
                            (1ull << Format::mantissa_bits)) *
        power_of_two(static_cast<int>(Format::largest >> Format::mantissa_bits) - Format::bias -
                     Format::mantissa_bits);
    static constexpr double lowest = -max_finite;
    /// Unit roundoff: rounding to nearest changes a value in the normal range by at most this
    /// fraction of it.
    static constexpr double epsilon = power_of_two(-Format::mantissa_bits - 1);
    static constexpr double min_normal = power_of_two(1 - Format::bias);
    /// Smallest denormal, and the distance between neighbours below min_normal.
    static constexpr double min_positive = power_of_two(1 - Format::bias - Format::mantissa_bits);
};

template<class Integer>
struct integer_element {
    static constexpr bool known = true;
    static constexpr bool is_floating = false;
    static constexpr bool is_signed = std::is_signed_v<Integer>;
    static constexpr int bits = 8 * static_cast<int>(sizeof(Integer));
    static constexpr double max_finite = power_of_two(bits - is_signed) - 1;
    static constexpr double lowest = is_signed ? -max_finite - 1 : 0;
    /// Integers round by at most one half, not by a fraction: see min_positive.
    static constexpr double epsilon = 0;
    static constexpr double min_normal = 1;
    static constexpr double min_positive = 1;
};

} // namespace numeric

/// Figures of an element type. `name` is how messages and kernel names call it.
template<class T>
struct element : numeric::not_an_element {};

template<>
struct element<float> : numeric::floating_element<numeric::binary_format<8, 23, 0x7f7f'ffff>> {
    static constexpr const char* name = "f32";
};
template<>
struct element<half> : numeric::floating_element<numeric::binary_format<5, 10, 0x7bff>> {
    static constexpr const char* name = "f16";
};
template<>
struct element<bf16> : numeric::floating_element<numeric::binary_format<8, 7, 0x7f7f>> {
    static constexpr const char* name = "bf16";
};
template<>
struct element<fp8_e4m3> : numeric::floating_element<numeric::binary_format<4, 3, 0x7e>> {
    static constexpr const char* name = "fp8_e4m3";
};
template<>
struct element<fp8_e5m2> : numeric::floating_element<numeric::binary_format<5, 2, 0x7b>> {
    static constexpr const char* name = "fp8_e5m2";
};
template<>
struct element<std::int8_t> : numeric::integer_element<std::int8_t> {
    static constexpr const char* name = "i8";
};
template<>
struct element<std::uint8_t> : numeric::integer_element<std::uint8_t> {
    static constexpr const char* name = "u8";
};
template<>
struct element<std::int32_t> : numeric::integer_element<std::int32_t> {
    static constexpr const char* name = "i32";
};

template<class T>
struct element<const T> : element<T> {};

/// T is a type that tensors hold: float, half, bf16, fp8_e4m3, fp8_e5m2, int8, uint8 or int32.
template<class T>
concept is_element = element<T>::known;

/// An element type with a fraction.
template<class T>
concept is_floating_element = is_element<T> && element<T>::is_floating;

/// A floating element type of one byte.
template<class T>
concept is_fp8 = is_floating_element<T> && element<T>::bits == 8;

namespace numeric {

template<class T>
struct format_of {
    using type = typename element<T>::format;
};
template<>
struct format_of<double> {
    using type = binary_format<11, 52, 0x7fef'ffff'ffff'ffff>;
};

} // namespace numeric

} // namespace r9v::inline R9V_ABI
