// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tiles that row programs are compiled for. Host code only; nothing here asks for a GPU.
#pragma once

#include <r9v/kernels/family.hpp>
#include <r9v/kernels/rows/problem.hpp>

namespace r9v::inline R9V_ABI {

/// Where a row is while it is worked on.
enum class row_regime {
    registers, ///< all of it in registers: read once
    streaming, ///< passes by twice: rows of any length
    split,     ///< passes by twice, shared by several blocks: few and long rows; needs scratch
};

/// How a block of `waves` waves works: each lane holds `runs` runs of 8 columns at a time. `lanes`
/// of a wave and `waves_a_row` waves share a row; 0 leaves that to the shape.
struct row_tile {
    row_regime regime = row_regime::registers;
    int waves = 8;
    int runs = 8;
    int lanes = 0;
    int waves_a_row = 0;

    [[nodiscard]] R9V_HD constexpr int threads() const { return waves * 32; }
    friend constexpr bool operator==(const row_tile&, const row_tile&) = default;
};

namespace detail {

inline constexpr row_tile held_tile{.regime = row_regime::registers, .waves = 8, .runs = 8};
inline constexpr row_tile streaming_tile{.regime = row_regime::streaming, .waves = 8, .runs = 4};
inline constexpr row_tile split_tile{.regime = row_regime::split, .waves = 8, .runs = 4};

/// The tile without what only the geometry knows: tiles that differ in nothing else are one kernel.
constexpr row_tile kernel_tile(row_tile t) {
    t.lanes = 0;
    t.waves_a_row = 0;
    if (t.regime == row_regime::split) t.regime = row_regime::streaming;
    return t;
}

/// Sums over a row that several blocks share, and choices among its values, would need a third
/// kernel.
template<class Chain>
inline constexpr bool allows_split = Chain::ordered_taps == 0 && !Chain::has_row_op;

/// A choice among values that stream by repeats the chain: nothing in it may write memory.
template<class Chain>
inline constexpr bool allows_streaming = true;
template<class... Ops>
inline constexpr bool allows_streaming<chain<Ops...>> =
    !chain<Ops...>::has_row_op ||
    !((Ops::role == role::tap && !stateful_tap<Ops> && !takes_statistic<Ops>) || ...);

template<class Program>
constexpr auto default_row_tiles() {
    if constexpr (!allows_streaming<typename Program::chain_type>) {
        return tile_list<held_tile>{};
    } else if constexpr (allows_split<typename Program::chain_type>) {
        return tile_list<held_tile, streaming_tile, split_tile>{};
    } else {
        return tile_list<held_tile, streaming_tile>{};
    }
}

template<class Program>
constexpr bool is_valid_row_tile(const row_tile& t) {
    const auto power_up_to = [](int value, int most) {
        return value == 0 || (is_power_of_two(value) && value <= most);
    };
    using chain = typename Program::chain_type;
    if (t.regime == row_regime::split && !allows_split<chain>) return false;
    if (t.regime == row_regime::streaming && !allows_streaming<chain>) return false;
    if (chain::has_row_op && t.lanes != 0 && t.lanes < 8) return false;
    return is_power_of_two(t.waves) && t.waves <= 16 && t.runs >= 1 && t.runs <= 16 &&
           power_up_to(t.lanes, 32) && power_up_to(t.waves_a_row, t.waves);
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
