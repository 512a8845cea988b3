// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Holding the compiler's scheduler by hand, and hiding values from its optimizer.
#pragma once

#include <r9v/arch/common/vector.hpp>

namespace r9v::inline R9V_ABI::arch {

/// Nothing moves across. One behind every matrix instruction of a main loop, with what should issue
/// beside it, makes the order of the source the order of the machine code.
R9V_INLINE void schedule_fence() {
    __builtin_amdgcn_sched_barrier(0);
}

/// The same lane value, of which the optimizer no longer knows where it came from. In a loop it
/// keeps the zero-extension of an offset inside, so that loads use a scalar base and this offset
/// instead of 64-bit lane addresses (two vector instructions each).
R9V_INLINE void hide(std::uint32_t& lane_value) {
    asm("" : "+v"(lane_value));
}

[[nodiscard]] R9V_INLINE std::uint32_t hidden(std::uint32_t lane_value) {
    hide(lane_value);
    return lane_value;
}

/// 1.0f in a scalar register, which the optimizer does not know to be one.
[[nodiscard]] R9V_INLINE float hidden_one() {
    float one;
    asm("s_mov_b32 %0, 1.0" : "=s"(one));
    return one;
}

} // namespace r9v::inline R9V_ABI::arch
