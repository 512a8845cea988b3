// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Arithmetic on words of two 16-bit elements.
#pragma once

#include <r9v/arch/gfx12/convert.hpp>

namespace r9v::inline R9V_ABI::arch {

/// The larger of each two elements; NaN in either gives NaN.
template<class T>
[[nodiscard]] R9V_INLINE std::uint32_t maximum_of_each(std::uint32_t a, std::uint32_t b) {
    std::uint32_t result;
    if constexpr (std::is_same_v<T, half>) {
        asm("v_pk_maximum_f16 %0, %1, %2" : "=v"(result) : "v"(a), "v"(b));
    } else {
        static_assert(std::is_same_v<T, bf16>);
        const float low = maximum(element_to_float<T>(a, 0), element_to_float<T>(b, 0));
        const float high = maximum(element_to_float<T>(a, 1), element_to_float<T>(b, 1));
        result = __builtin_amdgcn_perm(__builtin_bit_cast(std::uint32_t, high),
                                       __builtin_bit_cast(std::uint32_t, low), 0x07060302u);
    }
    return result;
}
template<class T>
[[nodiscard]] R9V_INLINE words4 maximum_of_each(words4 a, words4 b) {
    words4 result;
    R9V_UNROLL
    for (int word = 0; word < 4; ++word)
        result[word] = maximum_of_each<T>(a[word], b[word]);
    return result;
}

} // namespace r9v::inline R9V_ABI::arch
