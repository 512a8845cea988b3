// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tiles that depthwise convolutions are compiled for. Host code only.
#pragma once

#include <r9v/kernels/conv/problem.hpp>
#include <r9v/kernels/family.hpp>

namespace r9v::inline R9V_ABI {

/// How a depthwise kernel reads the map.
enum class depthwise_regime {
    staged, ///< a block brings its part of the map to LDS, each element once
    direct, ///< tap by tap from global memory: filters that span more than LDS holds
};

/// How a block of `waves` waves works: a lane owns 8 neighbouring channels of `run` neighbouring
/// pixels. How many rows, runs and channels a block takes is decided at launch.
struct depthwise_tile {
    depthwise_regime regime = depthwise_regime::staged;
    int waves = 8;
    int run = 7;
    int lds_bytes = 32768;

    [[nodiscard]] R9V_HD constexpr int threads() const { return waves * 32; }
    friend constexpr bool operator==(const depthwise_tile&, const depthwise_tile&) = default;
};

namespace detail {

/// Runs of 7: the maps of image networks are 7, 14, 28, 56 and 112 wide, others lose little, and
/// runs an odd number of chunks apart use different banks of LDS. Two blocks share a compute unit's
/// LDS: one loads while the other computes.
inline constexpr depthwise_tile staged_depthwise_tile{};
inline constexpr depthwise_tile direct_depthwise_tile{
    .regime = depthwise_regime::direct, .run = 1, .lds_bytes = 0};

/// Whether a kernel can be built with this tile.
constexpr bool is_valid_depthwise_tile(const depthwise_tile& t) {
    if (t.waves < 1 || t.waves > 16) return false;
    if (t.regime == depthwise_regime::direct) return t.run == 1 && t.lds_bytes == 0;
    return t.run >= 1 && t.run <= 8 && t.lds_bytes >= 4096 && t.lds_bytes <= 65536 &&
           t.lds_bytes % 16 == 0;
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
