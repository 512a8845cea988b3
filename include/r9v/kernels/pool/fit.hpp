// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How a pool's work lies over a launch. Host code.
#pragma once

#include <r9v/kernels/family.hpp>
#include <r9v/kernels/pool/geometry.hpp>
#include <r9v/kernels/pool/problem.hpp>

#include <algorithm>
#include <limits>

namespace r9v::inline R9V_ABI {

/// How a tile lies over a program's shape, or that it cannot.
struct pool_fit {
    enum class misfit { none, staging, grid };
    misfit reason = misfit::none;
    pool_geometry geometry;
    index_t blocks = 0;
};

namespace detail {

/// Pixels, chunks and the distances between them are counted in 31 bits.
inline constexpr index_t most_counted = std::numeric_limits<std::int32_t>::max();

[[nodiscard]] constexpr tile::divisor count_divisor(index_t n) {
    return tile::divisor{static_cast<std::uint32_t>(std::max<index_t>(n, 1))};
}

/// The product, or one more than the most that is counted.
[[nodiscard]] constexpr index_t counted(index_t a, index_t b) {
    return b != 0 && a > most_counted / b ? most_counted + 1 : a * b;
}

/// What all regimes share.
template<class Head>
[[nodiscard]] pool_geometry pool_shape(const Head& head) {
    const extents size = head.result();
    pool_geometry g;
    g.chunks = count_divisor(ceil_div<index_t>(size.columns, pool_run));
    g.of_row = count_divisor(size.rows);
    g.of_image = count_divisor(size.heads);
    g.pixels = static_cast<std::uint32_t>(size.batches * size.heads * size.rows);
    if constexpr (is_pool_head<Head>) {
        g.dilation_height = count_divisor(head.how.dilation.height);
        g.dilation_width = count_divisor(head.how.dilation.width);
    }
    return g;
}

/// Whether everything that kernels count fits 31 bits.
template<class Head>
[[nodiscard]] bool is_countable(const Head& head) {
    const extents size = head.result();
    const index_t pixels = counted(counted(size.batches, size.heads), size.rows);
    return counted(pixels, ceil_div<index_t>(size.columns, pool_run)) <= most_counted &&
           counted(head.height() + 1, head.width() + 1) <= most_counted &&
           size.columns <= most_counted;
}

} // namespace detail

/// The geometry of a pool with a tile.
template<class Program>
[[nodiscard]] pool_fit fit_pool(const Program& p, const pool_tile& t) {
    pool_fit fit;
    if (!detail::is_countable(p.head)) {
        fit.reason = pool_fit::misfit::grid;
        return fit;
    }
    fit.geometry = detail::pool_shape(p.head);
    const extents size = p.head.result();
    if (size.columns == 0) return fit;
    // Statistics want a wave for each pixel, other chains a lane for each run.
    const index_t lanes = Program::chain_type::has_state
                              ? index_t{fit.geometry.pixels} * 32
                              : index_t{fit.geometry.pixels} * fit.geometry.chunks.value;
    fit.blocks = ceil_div<index_t>(lanes, t.threads);
    if (lanes > detail::most_counted) fit.reason = pool_fit::misfit::grid;
    return fit;
}

/// The geometry of a mean over whole maps: a block for each eight chunks of an image, or for each
/// image where statistics want its channels together.
template<class Program>
[[nodiscard]] pool_fit fit_global_pool(const Program& p) {
    pool_fit fit;
    if (!detail::is_countable(p.head)) {
        fit.reason = pool_fit::misfit::grid;
        return fit;
    }
    fit.geometry = detail::pool_shape(p.head);
    const extents size = p.head.result();
    const index_t groups = ceil_div<index_t>(size.columns, 8 * pool_run);
    fit.geometry.groups =
        detail::count_divisor(Program::chain_type::has_state ? index_t{1} : groups);
    fit.blocks = size.columns == 0 ? 0 : size.batches * fit.geometry.groups.value;
    return fit;
}

} // namespace r9v::inline R9V_ABI
