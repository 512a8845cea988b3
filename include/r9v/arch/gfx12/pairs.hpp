// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Two 16-bit elements in a word.
#pragma once

#include <r9v/arch/common/vector.hpp>
#include <r9v/numeric/types.hpp>

#include <type_traits>

namespace r9v::inline R9V_ABI::arch {

/// A word in a scalar register that the optimizer does not know: as a literal it would make each
/// instruction that uses it longer.
template<std::uint32_t Value>
[[nodiscard]] R9V_INLINE std::uint32_t hidden_word() {
    std::uint32_t word;
    asm("s_mov_b32 %0, %1" : "=s"(word) : "n"(Value));
    return word;
}

/// What the functions below need in scalar registers.
template<class Element>
struct pair_constants {
    std::uint32_t ones = hidden_word<std::is_same_v<Element, half> ? 0x3c003c00u : 0x3f803f80u>();
    std::uint32_t upper_halves = hidden_word<0x07060302u>();
};

/// Two floats as elements, rounded towards zero: one instruction.
template<class Element>
[[nodiscard]] R9V_INLINE std::uint32_t pack_toward_zero(const pair_constants<Element>& constants,
                                                        float first, float second) {
    if constexpr (std::is_same_v<Element, half>) {
        return __builtin_bit_cast(std::uint32_t, __builtin_amdgcn_cvt_pkrtz(first, second));
    } else {
        return __builtin_amdgcn_perm(__builtin_bit_cast(std::uint32_t, second),
                                     __builtin_bit_cast(std::uint32_t, first),
                                     constants.upper_halves);
    }
}

/// sum + a[0] * b[0] + a[1] * b[1] in float.
template<class Element>
[[nodiscard]] R9V_INLINE float dot(std::uint32_t a, std::uint32_t b, float sum) {
    if constexpr (std::is_same_v<Element, half>) {
        using halves2 = vector<__fp16, 2>;
        return __builtin_amdgcn_fdot2(__builtin_bit_cast(halves2, a),
                                      __builtin_bit_cast(halves2, b), sum, false);
    } else {
        using shorts2 = vector<short, 2>;
        return __builtin_amdgcn_fdot2_f32_bf16(__builtin_bit_cast(shorts2, a),
                                               __builtin_bit_cast(shorts2, b), sum, false);
    }
}

} // namespace r9v::inline R9V_ABI::arch
