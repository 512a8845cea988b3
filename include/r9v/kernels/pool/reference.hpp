// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Pools in plain loops and double, through the same op objects: the truth of every test.
#pragma once

#include <r9v/kernels/pool/chained_problem.hpp>
#include <r9v/kernels/pool/problem.hpp>
#include <r9v/kernels/reference_chain.hpp>

#include <algorithm>
#include <vector>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Whatever a user's -ffast-math assumes.
[[nodiscard]] inline double minus_infinity() {
    return static_cast<double>(
        numeric::from_opaque_bits<float>(numeric::float_infinity | 1u << 31));
}

/// One element of the map after its prologue.
template<class Head>
[[nodiscard]] double map_element(const Head& head, index_t b, index_t h, index_t w, index_t c) {
    const coordinate at{.batch_base = b, .row_base = w, .column_base = c, .head_base = h};
    const double value = to_double(head.x.view.data[head.offset(b, h, w, c)]);
    return r9v::transform(reference_math{}, head.x.prologue, at, run<double, 1>{{value}})[0];
}

/// Shows every value under the window at (p, q).
template<class Head, class Visit>
void for_each_tap_of_window(const Head& head, index_t b, index_t p, index_t q, index_t c,
                            Visit visit) {
    const pooling& how = head.how;
    for (index_t r = 0; r < how.window.height; ++r) {
        const index_t h = p * how.stride.height + r * how.dilation.height - how.pad.top;
        if (h < 0 || h >= head.height()) continue;
        for (index_t s = 0; s < how.window.width; ++s) {
            const index_t w = q * how.stride.width + s * how.dilation.width - how.pad.left;
            if (w >= 0 && w < head.width()) visit(map_element(head, b, h, w, c));
        }
    }
}

/// One value of the result.
template<class Source, int Axes>
[[nodiscard]] double pool_at(const pool_head<Source, window_maximum, Axes>& head, index_t b,
                             index_t p, index_t q, index_t c) {
    double largest = minus_infinity();
    for_each_tap_of_window(head, b, p, q, c,
                           [&](double x) { largest = reference_math::max(largest, x); });
    return largest;
}
template<class Source, int Axes>
[[nodiscard]] double pool_at(const pool_head<Source, window_average, Axes>& head, index_t b,
                             index_t p, index_t q, index_t c) {
    double sum = 0;
    index_t seen = 0;
    for_each_tap_of_window(head, b, p, q, c, [&](double x) {
        sum += x;
        ++seen;
    });
    if (head.kind.count == average_count::with_padding)
        seen = index_t{head.how.window.height} * head.how.window.width;
    return seen == 0 ? 0 : sum / static_cast<double>(seen);
}
template<class Source, int Axes>
[[nodiscard]] double pool_at(const global_pool_head<Source, Axes>& head, index_t b, index_t,
                             index_t, index_t c) {
    double sum = 0;
    for (index_t h = 0; h < head.height(); ++h)
        for (index_t w = 0; w < head.width(); ++w)
            sum += map_element(head, b, h, w, c);
    return sum / static_cast<double>(head.height() * head.width());
}

} // namespace detail

/// Runs a checked and bound pool on host views.
template<class Head, class Chain>
    requires is_pool_head<Head> || is_global_pool_head<Head>
void run_reference(const program<Head, Chain>& p) {
    detail::run_chain_over(p, [&](const coordinate& at) {
        return detail::pool_at(p.head, at.batch(), at.head(), at.row(), at.column());
    });
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
        double largest = minus_infinity();
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
    detail::run_chain_over(p, [&](const coordinate& at) {
        return levels[static_cast<std::size_t>(at.column() / size.columns)].at(
            at.batch(), at.head(), at.row(), at.column() % size.columns);
    });
}

} // namespace r9v::inline R9V_ABI
