// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The matrix instruction on half and bf16 with float accumulators.
#pragma once

#include <r9v/arch/common/vector.hpp>
#include <r9v/numeric/types.hpp>

#include <type_traits>

namespace r9v::inline R9V_ABI::arch {

template<class T>
inline constexpr bool has_matrix_instruction = std::is_same_v<T, half> || std::is_same_v<T, bf16>;

/// c + a * b on fragments; a and b are eight elements a lane (fragment.hpp). EXEC must be full.
template<class Element>
[[nodiscard]] R9V_INLINE floats8 multiply_add(words4 a, words4 b, floats8 c) {
    static_assert(has_matrix_instruction<Element>);
    if constexpr (std::is_same_v<Element, half>) {
        using halves8 = vector<_Float16, 8>;
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(__builtin_bit_cast(halves8, a),
                                                                __builtin_bit_cast(halves8, b), c);
    } else {
        using shorts8 = vector<short, 8>;
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(__builtin_bit_cast(shorts8, a),
                                                                 __builtin_bit_cast(shorts8, b), c);
    }
}

} // namespace r9v::inline R9V_ABI::arch
