// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Between float and what memory holds, on vectors of 32-bit words. The same bits as
// numeric/convert.hpp gives, by instructions.
#pragma once

#include <r9v/arch/common/schedule.hpp>
#include <r9v/arch/gfx12/math.hpp>
#include <r9v/numeric/element.hpp>

#include <type_traits>

namespace r9v::inline R9V_ABI::arch {

namespace detail {

/// The float whose upper 16 bits are the nearest bf16. NaN keeps its upper payload: canonicalizing
/// makes it quiet, and costs nothing where the value is the result of arithmetic.
[[nodiscard]] R9V_INLINE std::uint32_t rounded_to_bf16(float value) {
    const std::uint32_t bits =
        hidden(__builtin_bit_cast(std::uint32_t, __builtin_canonicalizef(value)));
    const bool is_nan = __builtin_amdgcn_classf(__builtin_bit_cast(float, bits), 3);
    return is_nan ? bits : bits + 0x7fffu + (bits >> 16 & 1u);
}

[[nodiscard]] R9V_INLINE std::uint32_t to_half_bits(float value) {
    return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(value));
}

/// Nearest integer within [low, high]; NaN gives 0 (v_cvt_i32_f32 saturates and takes NaN to 0).
[[nodiscard]] R9V_INLINE std::int32_t to_integer(float value, std::int32_t low, std::int32_t high) {
    std::int32_t integer;
    asm("v_cvt_i32_f32_e32 %0, %1" : "=v"(integer) : "v"(__builtin_rintf(value)));
    return integer < low ? low : integer > high ? high : integer;
}

template<class T>
[[nodiscard]] R9V_INLINE std::uint32_t to_fp8_pair(float a, float b) {
    constexpr float largest = static_cast<float>(element<T>::max_finite);
    const float x = clamp_keeping_nan(a, largest);
    const float y = clamp_keeping_nan(b, largest);
    if constexpr (std::is_same_v<T, fp8_e4m3>) {
        return static_cast<std::uint32_t>(__builtin_amdgcn_cvt_pk_fp8_f32(x, y, 0, false));
    } else {
        return static_cast<std::uint32_t>(__builtin_amdgcn_cvt_pk_bf8_f32(x, y, 0, false));
    }
}

} // namespace detail

/// Element `i` of a word that holds 4 / sizeof(T) of them, as float.
template<class T>
[[nodiscard]] R9V_INLINE float element_to_float(std::uint32_t word, int i) {
    if constexpr (std::is_same_v<T, float>) {
        return __builtin_bit_cast(float, word);
    } else if constexpr (std::is_same_v<T, half>) {
        using halves2 = vector<_Float16, 2>;
        return static_cast<float>(__builtin_bit_cast(halves2, word)[i]);
    } else if constexpr (std::is_same_v<T, bf16>) {
        return __builtin_bit_cast(float, i == 0 ? word << 16 : word & 0xffff'0000u);
    } else if constexpr (is_fp8<T>) {
        // The byte must be a constant for the compiler: not so in an unrolled loop at -O0.
        const auto low = static_cast<int>(word >> 8 * i);
        if constexpr (std::is_same_v<T, fp8_e4m3>) {
            return __builtin_amdgcn_cvt_f32_fp8(low, 0);
        } else {
            return __builtin_amdgcn_cvt_f32_bf8(low, 0);
        }
    } else if constexpr (sizeof(T) == 1) {
        return static_cast<float>(static_cast<T>(word >> 8 * i & 0xffu));
    } else {
        return static_cast<float>(static_cast<T>(word));
    }
}

/// The bits of one element, in the low bits of the word, nearest to `value`.
template<class T>
[[nodiscard]] R9V_INLINE std::uint32_t element_from_float(float value) {
    if constexpr (std::is_same_v<T, float>) {
        return __builtin_bit_cast(std::uint32_t, value);
    } else if constexpr (std::is_same_v<T, half>) {
        return detail::to_half_bits(value);
    } else if constexpr (std::is_same_v<T, bf16>) {
        return detail::rounded_to_bf16(value) >> 16;
    } else if constexpr (is_fp8<T>) {
        return detail::to_fp8_pair<T>(value, 0.0f) & 0xffu;
    } else {
        constexpr auto low = static_cast<std::int64_t>(element<T>::lowest);
        constexpr auto high = static_cast<std::int64_t>(element<T>::max_finite);
        const std::int32_t integer = detail::to_integer(value, static_cast<std::int32_t>(low),
                                                        static_cast<std::int32_t>(high));
        return static_cast<std::uint32_t>(integer) & (sizeof(T) == 1 ? 0xffu : 0xffff'ffffu);
    }
}

/// A word of 4 / sizeof(T) elements from as many floats.
template<class T>
[[nodiscard]] R9V_INLINE std::uint32_t word_from_floats(const float* values) {
    if constexpr (sizeof(T) == 4) {
        return element_from_float<T>(values[0]);
    } else if constexpr (std::is_same_v<T, half>) {
        using halves2 = vector<_Float16, 2>;
        return __builtin_bit_cast(std::uint32_t, halves2{static_cast<_Float16>(values[0]),
                                                         static_cast<_Float16>(values[1])});
    } else if constexpr (std::is_same_v<T, bf16>) {
        return __builtin_amdgcn_perm(detail::rounded_to_bf16(values[1]),
                                     detail::rounded_to_bf16(values[0]), 0x07060302u);
    } else if constexpr (is_fp8<T>) {
        return (detail::to_fp8_pair<T>(values[0], values[1]) & 0xffffu) |
               detail::to_fp8_pair<T>(values[2], values[3]) << 16;
    } else {
        return element_from_float<T>(values[0]) | element_from_float<T>(values[1]) << 8 |
               element_from_float<T>(values[2]) << 16 | element_from_float<T>(values[3]) << 24;
    }
}

} // namespace r9v::inline R9V_ABI::arch
