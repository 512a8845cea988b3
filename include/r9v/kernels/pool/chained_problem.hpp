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
#include <r9v/kernels/pool/reference.hpp>
#include <r9v/kernels/pool/rules.hpp>

#include <vector>

namespace r9v::inline R9V_ABI {

/// Pools of stride 1 that keep the size of the map: `chained_max_pool(x, {.window = 5, .count =
/// 3})`.
struct pool_chain {
    int window;              ///< pixels each way: an odd number
    int count = 3;           ///< of pools
    bool with_input = false; ///< x itself stands in front of the results
    friend constexpr bool operator==(const pool_chain&, const pool_chain&) = default;

    [[nodiscard]] R9V_HD constexpr int reach() const { return window / 2; }
    [[nodiscard]] R9V_HD constexpr int levels() const { return count + (with_input ? 1 : 0); }
};

template<class Source, int Axes>
struct chained_pool_head : pooled_map<Source, Axes> {
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

/// `chained_max_pool(x, {.window = 5, .count = 3}) | ... | store(y)`: y [batch, height, width,
/// count
/// * channels] has max_pool(x), max_pool(max_pool(x)), ... side by side, each with a window of
/// stride 1 whose padding keeps the size; x is read once, by one kernel. With `.with_input = true`
/// x stands in front. A slice of a concatenation takes the results where they belong. What the
/// prologue gives is rounded to the map's type.
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

/// Whether pools in a chain may run.
template<class Head, class Chain>
    requires is_chained_pool_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    const pool_chain& how = p.head.how;
    if (how.window < 1 || how.window % 2 == 0)
        return error{"r9v: a window of %d pixels has no middle, so a chain of pools would not keep "
                     "the map's size. Write an odd number: {.window = 5}.",
                     how.window};
    if (how.count < 1)
        return error{"r9v: the chain has %d pools. Write {.count = 1} or more.", how.count};
    return detail::check_map_program(p);
}

namespace detail {

/// A map [b, h, w, c], dense.
struct dense_map {
    extents size;
    std::vector<double> values;

    [[nodiscard]] double& at(index_t b, index_t h, index_t w, index_t c) {
        const index_t place = ((b * size.heads + h) * size.rows + w) * size.columns + c;
        return values[static_cast<std::size_t>(place)];
    }
};

template<class Visit>
void for_each_place(const extents& size, Visit visit) {
    for (index_t b = 0; b < size.batches; ++b)
        for (index_t h = 0; h < size.heads; ++h)
            for (index_t w = 0; w < size.rows; ++w)
                for (index_t c = 0; c < size.columns; ++c)
                    visit(b, h, w, c);
}

/// The largest value around each pixel.
[[nodiscard]] inline dense_map pooled(dense_map& from, index_t down, index_t right) {
    dense_map to{from.size, std::vector<double>(from.values.size())};
    for_each_place(from.size, [&](index_t b, index_t h, index_t w, index_t c) {
        double largest = -std::numeric_limits<double>::infinity();
        for (index_t r = std::max<index_t>(h - down, 0);
             r <= std::min(h + down, from.size.heads - 1); ++r)
            for (index_t s = std::max<index_t>(w - right, 0);
                 s <= std::min(w + right, from.size.rows - 1); ++s)
                largest = reference_math::max(largest, from.at(b, r, s, c));
        to.at(b, h, w, c) = largest;
    });
    return to;
}

} // namespace detail

/// Runs checked and bound pools in a chain on host views.
template<class Head, class Chain>
    requires is_chained_pool_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const Head& head = p.head;
    const extents size = head.source_extents();
    detail::dense_map map{size, std::vector<double>(static_cast<std::size_t>(
                                    size.batches * size.heads * size.rows * size.columns))};
    detail::for_each_place(size, [&](index_t b, index_t h, index_t w, index_t c) {
        map.at(b, h, w, c) = detail::map_element(head, b, h, w, c);
    });
    std::vector<detail::dense_map> levels;
    if (head.how.with_input) levels.push_back(map);
    for (int i = 0; i < head.how.count; ++i) {
        map = detail::pooled(map, head.reach_down(), head.how.reach());
        levels.push_back(map);
    }
    detail::finish_map(p, [&](index_t b, index_t row, index_t column, index_t c) {
        return levels[static_cast<std::size_t>(c / size.columns)].at(b, row, column,
                                                                     c % size.columns);
    });
}

} // namespace r9v::inline R9V_ABI
