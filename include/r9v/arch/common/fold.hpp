// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Sums over the lanes of a group, many at a time: each step halves either the lanes that a sum is
// spread over or, while there are several sums, the sums that a lane holds. 16 sums over 16 lanes
// take 33 instructions instead of 64, and end one in each lane.
#pragma once

#include <r9v/arch/common/lane.hpp>

namespace r9v::inline R9V_ABI::arch {

namespace detail {

// Additions with a lane's partner within 16 lanes, as single instructions: left to itself the
// compiler moves first and adds then. The partner is named in the text, so that this works without
// optimization too.
#define R9V_ADD_CROSSED(distance)                                                                  \
    asm("v_add_f32_dpp %0, %1, %2 row_xmask:" #distance " row_mask:0xf bank_mask:0xf"              \
        : "=v"(sum)                                                                                \
        : "v"(crossed), "v"(kept))

/// The partner's `crossed` plus this lane's `kept`; the partner is lane ^ distance.
[[nodiscard]] R9V_INLINE float add_crossed(float crossed, float kept, int distance) {
    float sum;
    switch (distance) {
    case 1:
        R9V_ADD_CROSSED(1);
        break;
    case 2:
        R9V_ADD_CROSSED(2);
        break;
    case 4:
        R9V_ADD_CROSSED(4);
        break;
    default:
        R9V_ADD_CROSSED(8);
        break;
    }
    return sum;
}
#undef R9V_ADD_CROSSED

/// Sums of `lower` with the partner's in lanes whose bit `distance` is clear, of `upper` elsewhere.
[[nodiscard]] R9V_INLINE float fold(float lower, float upper, int distance) {
    const bool is_upper = (lane_index() & static_cast<std::uint32_t>(distance)) != 0;
    if (distance < 4) {
        return add_crossed(is_upper ? lower : upper, is_upper ? upper : lower, distance);
    }
    // Banks of four lanes can be masked: the second addition touches the upper ones alone.
    float sum = add_crossed(lower, lower, distance);
    if (distance == 4) {
        asm("v_add_f32_dpp %0, %1, %1 row_xmask:4 row_mask:0xf bank_mask:0xa"
            : "+v"(sum)
            : "v"(upper));
    } else {
        asm("v_add_f32_dpp %0, %1, %1 row_xmask:8 row_mask:0xf bank_mask:0xc"
            : "+v"(sum)
            : "v"(upper));
    }
    return sum;
}

} // namespace detail

/// Which of `Count` sums over groups of `Lanes` (8 or 16) lanes end where.
template<int Lanes, int Count>
struct folded_sums {
    static constexpr int spread = Count < Lanes ? Count : Lanes; ///< lanes with different sums
    static constexpr int a_lane = Count / spread;                ///< sums that a lane holds

    /// The lowest lane of a group that holds sum `i`, and the place of the sum in it.
    static constexpr int lane(int i) { return i / a_lane * (Lanes / spread); }
    static constexpr int place(int i) { return i % a_lane; }
    /// The first of the sums that this lane holds.
    [[nodiscard]] R9V_INLINE static int first() {
        return static_cast<int>(lane_index()) % Lanes / (Lanes / spread) * a_lane;
    }
};

/// Sums each of `values` over groups of `Lanes` neighbouring lanes, and leaves in values[0] and on
/// what folded_sums says. All lanes must be on.
template<int Lanes, int Count>
R9V_INLINE void sum_over_lanes(float (&values)[Count]) {
    constexpr int folds = Count < Lanes ? Count : Lanes; // lanes halve the sums until one is left
    R9V_UNROLL
    for (int parts = 1; parts < folds; parts *= 2) {
        R9V_UNROLL
        for (int i = 0; i < Count / 2 / parts; ++i)
            values[i] = detail::fold(values[i], values[i + Count / 2 / parts], Lanes / 2 / parts);
    }
    R9V_UNROLL
    for (int distance = 1; distance < Lanes / folds; distance *= 2)
        values[0] = detail::add_crossed(values[0], values[0], distance);
}

/// The value of lane `lane` of this lane's group of `Lanes` (8 or 16). All lanes must be on.
/// Unlike other cross-lane operations, these are not sunk into branches by clang-19 as asm.
template<int Lanes, int Lane>
[[nodiscard]] R9V_INLINE float from_group_lane(float value) {
    float shared;
    if constexpr (Lanes == 16) {
        asm("v_mov_b32_dpp %0, %1 row_share:%2 row_mask:0xf bank_mask:0xf"
            : "=v"(shared)
            : "v"(value), "n"(Lane));
    } else {
        asm("v_mov_b32_dpp %0, %1 dpp8:[%2,%2,%2,%2,%2,%2,%2,%2]"
            : "=v"(shared)
            : "v"(value), "n"(Lane));
    }
    return shared;
}

/// `value`, but at least `low` and at most `high`, which are scalars: one instruction.
[[nodiscard]] R9V_INLINE std::uint32_t between(std::uint32_t value, std::uint32_t low,
                                               std::uint32_t high) {
    std::uint32_t result;
    asm("v_med3_u32 %0, %1, %2, %3" : "=v"(result) : "v"(value), "s"(low), "s"(high));
    return result;
}

/// The branch that this stands in stays one: its instructions do not run otherwise.
R9V_INLINE void keep_branch() {
    asm volatile("");
}

/// Nothing that makes these values is moved behind what follows.
template<int Count>
R9V_INLINE void pin(float (&values)[Count]) {
    R9V_UNROLL
    for (float& value : values)
        asm volatile("" : "+v"(value));
}

} // namespace r9v::inline R9V_ABI::arch
