// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Reductions over the lanes and waves that share a row. How many they are is known at run time
// only, so that one kernel serves rows of all lengths: the steps that a row does not need are
// skipped by scalar branches.
#pragma once

#include <r9v/arch/common/reduce.hpp>
#include <r9v/arch/select.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI::tile {

/// A row is shared by 2^lanes_shift neighbouring lanes of each of 2^waves_shift neighbouring waves.
struct row_sharing {
    std::int32_t lanes_shift = 0;
    std::int32_t waves_shift = 0;

    [[nodiscard]] R9V_HD constexpr std::int32_t lanes() const { return 1 << lanes_shift; }
    [[nodiscard]] R9V_HD constexpr std::int32_t waves() const { return 1 << waves_shift; }
    [[nodiscard]] R9V_HD constexpr std::int32_t rows_a_wave() const { return 32 >> lanes_shift; }
};

namespace detail {

/// A state of floats and nothing else, as an array.
template<class State>
struct floats_of {
    static constexpr int count = static_cast<int>(sizeof(State) / sizeof(float));
    float values[count];
};

/// The states of lane and lane ^ Distance, merged. Both give the lower lane's first, so both get
/// the same bits: merges need not commute to the last one.
template<int Distance, class State, class Merge>
R9V_INLINE State crossed(const State& mine, Merge merge) {
    const bool is_upper = (arch::lane_index() & Distance) != 0;
    auto lower = __builtin_bit_cast(floats_of<State>, mine);
    auto upper = lower;
    R9V_UNROLL
    for (int i = 0; i < floats_of<State>::count; ++i) {
        const float other = arch::crossed<Distance>(lower.values[i]);
        upper.values[i] = is_upper ? upper.values[i] : other;
        lower.values[i] = is_upper ? other : lower.values[i];
    }
    return merge(__builtin_bit_cast(State, lower), __builtin_bit_cast(State, upper));
}

} // namespace detail

/// Bytes of LDS that over_row() needs in a block of `waves`.
template<class State>
inline constexpr int row_reduce_bytes(int waves) {
    return waves * arch::wave_size * static_cast<int>(sizeof(State));
}

/// Merges the states of the lanes that share a row; all of them get the same bits.
template<class State, class Merge>
[[nodiscard]] R9V_INLINE State over_lanes(State mine, const row_sharing& sharing, Merge merge) {
    if (sharing.lanes_shift > 0) mine = detail::crossed<1>(mine, merge);
    if (sharing.lanes_shift > 1) mine = detail::crossed<2>(mine, merge);
    if (sharing.lanes_shift > 2) mine = detail::crossed<4>(mine, merge);
    if (sharing.lanes_shift > 3) mine = detail::crossed<8>(mine, merge);
    if (sharing.lanes_shift > 4) mine = detail::crossed<16>(mine, merge);
    return mine;
}

/// The same over all waves that share the row, in a fixed order. Every wave of the block that has
/// not ended must call it; `lds` is the block's.
template<class State, class Merge>
[[nodiscard]] R9V_INLINE State over_row(State mine, const row_sharing& sharing,
                                        arch::local_bytes lds, Merge merge) {
    mine = over_lanes(mine, sharing, merge);
    if (sharing.waves_shift == 0) return mine;

    using parts = detail::floats_of<State>;
    const std::uint32_t lane = arch::lane_index();
    const auto slot = [&](std::uint32_t wave) {
        return (wave * arch::wave_size + (lane >> sharing.lanes_shift)) *
               static_cast<std::uint32_t>(sizeof(State));
    };
    const std::uint32_t wave = arch::wave_index();
    arch::barrier(); // what an earlier reduction left here has been read
    if ((lane & static_cast<std::uint32_t>(sharing.lanes() - 1)) == 0) {
        const auto mine_parts = __builtin_bit_cast(parts, mine);
        R9V_UNROLL
        for (int i = 0; i < parts::count; ++i)
            arch::store_local_float(lds, slot(wave) + static_cast<std::uint32_t>(4 * i),
                                    mine_parts.values[i]);
    }
    arch::barrier();
    const auto load = [&](std::uint32_t from) {
        parts loaded;
        R9V_UNROLL
        for (int i = 0; i < parts::count; ++i)
            loaded.values[i] =
                arch::load_local_float(lds, slot(from) + static_cast<std::uint32_t>(4 * i));
        return __builtin_bit_cast(State, loaded);
    };
    const auto waves = static_cast<std::uint32_t>(sharing.waves());
    const std::uint32_t first = wave & ~(waves - 1);
    State all = load(first);
    R9V_ROLLED
    for (std::uint32_t other = 1; other < waves; ++other)
        all = merge(all, load(first + other));
    return all;
}

} // namespace r9v::inline R9V_ABI::tile
