// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Products where zero times anything is zero.
#pragma once

#include <r9v/arch/common/vector.hpp>

namespace r9v::inline R9V_ABI::arch {

/// sum + a * b, but `sum` where a or b is zero, whatever the other one is: a value with the weight
/// 0 does not count, NaN included.
[[nodiscard]] R9V_INLINE float multiply_add_zero_wins(float a, float b, float sum) {
    asm("v_fma_dx9_zero_f32 %0, %1, %2, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}

} // namespace r9v::inline R9V_ABI::arch
