// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The product of weights and values where values may be infinite or NaN: 0 times either is NaN, so
// a key that a query does not keep must not meet it in the matrix instruction.
#pragma once

#include <r9v/kernels/attention/prefill_shape.hpp>
#include <r9v/numeric/bits.hpp>
#include <r9v/tile/online_softmax.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<class Element>
inline constexpr std::uint32_t exponent_bits = std::is_same_v<Element, half> ? 0x7c00u : 0x7f80u;
template<class Element>
inline constexpr std::uint32_t one_bits = std::is_same_v<Element, half> ? 0x3c00u : 0x3f80u;

/// What a fragment of values is taken apart into.
enum class value_part {
    finite, ///< the finite values, zeros elsewhere
    up,     ///< ones where a value is positive infinity or NaN
    down,   ///< ones where it is negative infinity or NaN
};

/// One part of two values.
template<class Element>
[[nodiscard]] R9V_INLINE std::uint32_t part_of_pair(std::uint32_t pair, value_part part) {
    std::uint32_t parts = 0;
    R9V_UNROLL
    for (int shift = 0; shift < 32; shift += 16) {
        const std::uint32_t bits = pair >> shift & 0xffffu;
        const std::uint32_t size = bits & 0x7fffu;
        const bool is_finite = size < exponent_bits<Element>;
        const bool is_nan = size > exponent_bits<Element>;
        const bool counts =
            is_nan || (!is_finite && (bits > 0x7fffu) == (part == value_part::down));
        const std::uint32_t one = counts ? one_bits<Element> : 0u;
        const std::uint32_t value = is_finite ? bits : 0u;
        parts |= (part == value_part::finite ? value : one) << shift;
    }
    return parts;
}

/// Ones where a pair of weights is not zero.
template<class Element>
[[nodiscard]] R9V_INLINE std::uint32_t where_weighed(std::uint32_t pair) {
    return ((pair & 0xffffu) != 0 ? one_bits<Element> : 0u) |
           (pair > 0xffffu ? one_bits<Element> << 16 : 0u);
}

/// Whether a stage's values, 16 * `Fragments` columns of 16 * `Keys` keys, hold an infinity or NaN:
/// not 0 if so. A number, since the compiler keeps a bool that lives long in vector registers.
template<class Element, int Keys, int Fragments, class Reader>
[[nodiscard]] R9V_INLINE std::uint32_t any_nonfinite(const Reader& reader,
                                                     arch::local_bytes values) {
    const std::uint32_t zeros = arch::hidden_word<0>();
    float sum = 0.0f;
    R9V_ROLLED
    for (int d = 0; d < Fragments; ++d) {
        R9V_UNROLL
        for (int f = 0; f < Keys; ++f) {
            const arch::words4 fragment = reader.load(values, d, f);
            R9V_UNROLL
            for (int word = 0; word < 4; ++word)
                sum = arch::dot<Element>(fragment[word], zeros, sum);
        }
    }
    return arch::lanes_where(is_nan(sum));
}

/// o += weights * values, where only weights that are not zero meet infinities and NaN: finite
/// values first, then an infinity of either sign wherever one, or a NaN, is met. Nothing happens
/// unless `needed`; a loop of no rounds is the form in which the compiler leaves o where it is.
template<class Element, int Keys, int Fragments, class Reader>
R9V_INLINE void add_values_apart(std::uint32_t needed, const Reader& reader,
                                 arch::local_bytes values, const arch::words4 (&weights)[Keys],
                                 arch::floats8 (&o)[Fragments]) {
    const int rounds = needed != 0 ? 3 * Keys : 0;
    R9V_ROLLED
    for (int round = 0; round < rounds; ++round) {
        const int f = round % Keys;
        const auto part = static_cast<value_part>(round / Keys);
        arch::words4 b = weights[0];
        R9V_UNROLL
        for (int i = 1; i < Keys; ++i) // registers have no index
            if (i == f) b = weights[i];
        R9V_UNROLL
        for (int word = 0; word < 4; ++word)
            if (part != value_part::finite) b[word] = where_weighed<Element>(b[word]);
        const float infinity = numeric::from_opaque_bits<float>(
            part == value_part::down ? 0xff80'0000u : numeric::float_infinity);
        R9V_UNROLL
        for (int d = 0; d < Fragments; ++d) {
            arch::schedule_fence();
            arch::words4 a = reader.load_any(values, d, f);
            R9V_UNROLL
            for (int word = 0; word < 4; ++word)
                a[word] = part_of_pair<Element>(a[word], part);
            const arch::floats8 sum = arch::multiply_add<Element>(a, b, arch::floats8{});
            R9V_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float met = sum[e] > 0.0f ? infinity : 0.0f;
                o[d][e] += part == value_part::finite ? sum[e] : met;
            }
        }
    }
}

} // namespace r9v::inline R9V_ABI::kernels
