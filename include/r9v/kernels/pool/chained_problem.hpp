// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Maximum pools one behind the other, all of whose results are kept: spatial pyramid pooling as
// detection networks have it (SPPF in YOLOv5 and later). The results stand side by side in the
// channels of one tensor:
//
//      x [.., c]     x' = pool(x)   x'' = pool(x')        y [.., 3c]
//     +---------+   +---------+    +---------+       +-------+-------+-------+
//     |         | > |         | >  |         | >     |  x'   |  x''  |  x''' |
//     +---------+   +---------+    +---------+       +-------+-------+-------+
#pragma once

#include <r9v/kernels/pool/problem.hpp>

namespace r9v::inline R9V_ABI {

/// Pools of stride 1 that keep the size of the map: `chained_max_pool(x, {.window = 5, .count =
/// 3})`.
struct pool_chain {
    int window;              ///< pixels each way: an odd number
    int count = 3;           ///< of pools
    bool with_input = false; ///< x itself stands in front of the results
    friend constexpr bool operator==(const pool_chain&, const pool_chain&) = default;

    [[nodiscard]] R9V_HD constexpr int reach() const { return window / 2; }
    [[nodiscard]] R9V_HD constexpr index_t levels() const {
        return index_t{count} + (with_input ? 1 : 0);
    }
};

template<class Source, int Axes>
struct chained_pool_head : map_source<Source, Axes> {
    pool_chain how;

    /// A sequence has one row of pixels.
    [[nodiscard]] R9V_HD constexpr int reach_down() const { return Axes == 2 ? how.reach() : 0; }
    [[nodiscard]] constexpr extents result() const {
        return {this->batches(), this->width(), how.levels() * this->channels(), this->height()};
    }
};

template<class T>
inline constexpr bool is_chained_pool_head = false;
template<class Source, int Axes>
inline constexpr bool is_chained_pool_head<chained_pool_head<Source, Axes>> = true;

/// `chained_max_pool(x, {.window = 5, .count = 3}) | ... | store(y)`: y has max_pool(x),
/// max_pool(max_pool(x)), ... side by side, [batch, height, width, 3 * channels], each with a
/// window of stride 1 whose padding keeps the size; x is read once, by one kernel. With
/// `.with_input = true` x stands in front. A slice of a concatenation takes the results where they
/// belong. What the prologue gives is rounded to the map's type.
template<class Input>
[[nodiscard]] constexpr auto chained_max_pool(const Input& x, const pool_chain& how) {
    if constexpr (detail::report_pool<detail::broken_pool_rule<Input>()>()) {
        const auto from = detail::to_source(x);
        constexpr int axes = detail::view_of<Input>::type::rank - 2;
        using head = chained_pool_head<std::remove_const_t<decltype(from)>, axes>;
        return program<head, chain<>>{{{from}, how}, {}};
    } else {
        return detail::rejected_program{};
    }
}

} // namespace r9v::inline R9V_ABI
