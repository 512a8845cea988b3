// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Statistics of a row that one wave has seen whole.
#pragma once

#include <r9v/arch/common/reduce.hpp>
#include <r9v/ops/chain.hpp>
#include <r9v/tile/device_math.hpp>

namespace r9v::inline R9V_ABI::tile {

/// Commits the statistics of a row, whose values the lanes of a wave have seen, and what the wave
/// knows of the whole tensor. All lanes must be on. Always in the same order.
template<class Math, class Chain, class States>
R9V_INLINE void commit_over_wave(Math math, const Chain& ops, States& states,
                                 const coordinate& row) {
    const auto commit = [&](const auto& op, auto& state, int) {
        float all = state;
        R9V_UNROLL
        for (std::uint32_t distance = arch::wave_size / 2; distance >= 1; distance /= 2)
            all = op.merge(math, all, arch::from_lane(all, arch::lane_index() ^ distance));
        if (arch::lane_index() == 0) op.commit(math, all, row);
    };
    for_each_tap<tap_scope::row>(ops, states, commit);
    for_each_tap<tap_scope::tensor>(ops, states, commit);
}

} // namespace r9v::inline R9V_ABI::tile
