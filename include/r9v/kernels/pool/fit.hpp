// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How a pool's work lies over a launch. Host code.
#pragma once

#include <r9v/kernels/counting.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/kernels/pool/chained_problem.hpp>
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
    double cost = 0; ///< estimated work: elements that lanes load
};

namespace detail {

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

/// Whether places in the map, and the steps from one to the next, fit 31 bits.
[[nodiscard]] constexpr bool is_countable(index_t size, int window, int dilation) {
    return size + 2 * (index_t{window} * dilation) <= most_counted;
}

/// Whether everything that kernels count fits 31 bits.
template<class Head>
[[nodiscard]] bool is_countable(const Head& head) {
    if constexpr (is_pool_head<Head>) {
        const pooling& how = head.how;
        if (!is_countable(head.height(), how.window.height, how.dilation.height) ||
            !is_countable(head.width(), how.window.width, how.dilation.width))
            return false;
    }
    const extents size = head.result();
    const index_t pixels = counted(counted(size.batches, size.heads), size.rows);
    return counted(pixels, ceil_div<index_t>(size.columns, pool_run)) <= most_counted &&
           counted(head.height() + 1, head.width() + 1) <= most_counted &&
           size.columns <= most_counted;
}

/// Pixels of the map that `tile` neighbouring windows cover along an axis.
[[nodiscard]] constexpr index_t region_extent(index_t tile, int window, int stride, int dilation) {
    return (tile - 1) * stride + index_t{window - 1} * dilation + 1;
}

/// Whether chunks of the map are 16-byte loads at 32-bit offsets.
template<class Head>
[[nodiscard]] bool allows_chunks(const Head& head) {
    constexpr index_t bytes = sizeof(typename Head::element);
    constexpr index_t offsets = index_t{1} << 30;
    if constexpr (Head::x_view::element_layout != layout::row_major) {
        return false;
    } else {
        const index_t rows = std::max<index_t>(head.height(), 1);
        const index_t columns = std::max<index_t>(head.width(), 1);
        return head.channels() % pool_run == 0 && head.row_stride() >= 0 &&
               head.pixel_stride() >= 0 && head.row_stride() <= offsets / bytes / rows &&
               head.pixel_stride() <= offsets / bytes / columns;
    }
}

/// The shape of a staged pool: as many chunks of channels as a line holds, and the tile whose
/// blocks load the least while there are enough of them.
template<class Head>
[[nodiscard]] pool_fit stage_pool(const Head& head, pool_fit fit, int units) {
    constexpr index_t capacity = staged_bytes / (pool_run * sizeof(typename Head::element));
    const extents size = head.result();
    const pooling& how = head.how;
    const index_t chunks = size.columns / pool_run;
    const index_t groups = ceil_div<index_t>(chunks, 8);
    const index_t together = ceil_div(chunks, std::max<index_t>(groups, 1));
    const double enough = 0.75 * units;
    fit.reason = pool_fit::misfit::staging;
    if (!allows_chunks(head) || chunks == 0 || fit.geometry.pixels == 0) return fit;
    staged_shape& best = fit.geometry.staged;
    double least = std::numeric_limits<double>::max();
    for (index_t height = 1; height <= size.heads; ++height) {
        const index_t rows =
            region_extent(height, how.window.height, how.stride.height, how.dilation.height);
        const index_t room = capacity / together / rows; // pixels of a row
        const index_t covered = index_t{how.window.width - 1} * how.dilation.width + 1;
        if (room < covered) break;
        const index_t width = std::min(size.rows, (room - covered) / how.stride.width + 1);
        const index_t columns =
            region_extent(width, how.window.width, how.stride.width, how.dilation.width);
        const index_t down = ceil_div(size.heads, height);
        const index_t across = ceil_div(size.rows, width);
        // Evenly: the last tile of a row is as wide as the others, or nearly so.
        const auto blocks = static_cast<double>(size.batches * groups * down * across);
        const double loaded =
            static_cast<double>(down * rows) * static_cast<double>(across * columns);
        const double cost = loaded / std::min(1.0, blocks / enough);
        if (cost >= least) continue;
        least = cost;
        fit.cost = loaded * static_cast<double>(size.batches * size.columns);
        fit.blocks = size.batches * groups * down * across;
        best = {.tile_height = static_cast<std::int32_t>(height),
                .region_height = static_cast<std::int32_t>(rows),
                .tile_width = count_divisor(width),
                .region_width = count_divisor(columns),
                .chunks = count_divisor(together),
                .groups = count_divisor(groups),
                .across = count_divisor(across),
                .down = count_divisor(down)};
        fit.reason = pool_fit::misfit::none;
    }
    if (fit.blocks > most_blocks) fit.reason = pool_fit::misfit::grid;
    return fit;
}

} // namespace detail

/// The geometry of a pool with a tile on a device of `units` compute units.
template<class Program>
[[nodiscard]] pool_fit fit_pool(const Program& p, const pool_tile& t, int units) {
    pool_fit fit;
    if (!detail::is_countable(p.head)) {
        fit.reason = pool_fit::misfit::grid;
        return fit;
    }
    fit.geometry = detail::pool_shape(p.head);
    const extents size = p.head.result();
    if (size.columns == 0 || fit.geometry.pixels == 0) return fit;
    if (t.regime == pool_regime::staged) return detail::stage_pool(p.head, fit, units);
    // Statistics want a wave for each pixel, other chains a lane for each run.
    const index_t lanes = Program::chain_type::has_state
                              ? index_t{fit.geometry.pixels} * 32
                              : index_t{fit.geometry.pixels} * fit.geometry.chunks.value;
    const size_pair& window = p.head.how.window;
    fit.blocks = ceil_div<index_t>(lanes, t.threads);
    fit.cost = 0.8 * window.height * window.width * fit.geometry.pixels *
               static_cast<double>(size.columns);
    if (lanes > detail::most_counted) fit.reason = pool_fit::misfit::grid;
    return fit;
}

/// The geometry of pools in a chain: whole maps where LDS holds them, else tiles with as much
/// around them as the chain reaches.
template<class Program>
[[nodiscard]] pool_fit fit_chained_pool(const Program& p, int units) {
    using head = typename Program::head_type;
    constexpr index_t capacity = staged_bytes / 2 / (pool_run * sizeof(typename head::element));
    pool_fit fit;
    fit.reason = pool_fit::misfit::grid;
    if (!detail::is_countable(p.head)) return fit;
    fit.geometry = detail::pool_shape(p.head);
    const extents map = p.head.source_extents();
    const index_t chunks = ceil_div<index_t>(map.columns, pool_run);
    fit.reason = pool_fit::misfit::none;
    if (fit.geometry.pixels == 0 || chunks == 0) return fit;
    fit.reason = pool_fit::misfit::staging;
    const index_t around_rows = index_t{p.head.how.count} * p.head.reach_down();
    const index_t around_columns = index_t{p.head.how.count} * p.head.how.reach();
    const index_t highest = std::min(map.heads, capacity);
    double least = std::numeric_limits<double>::max();
    for (const index_t together : {1, 2, 4})
        for (index_t height = 1; height <= highest && together <= chunks; ++height) {
            const index_t rows = height == map.heads ? height : height + 2 * around_rows;
            const index_t room = capacity / together / rows;
            if (room < std::min(map.rows, 2 * around_columns + 1)) continue;
            const bool whole = map.rows <= room;
            const index_t width = whole ? map.rows : room - 2 * around_columns;
            const index_t columns = whole ? width : width + 2 * around_columns;
            const index_t groups = ceil_div(chunks, together);
            const index_t down = ceil_div(map.heads, height);
            const index_t across = ceil_div(map.rows, width);
            const index_t blocks = map.batches * groups * down * across;
            // Chunks of a line that blocks share are loaded into several caches.
            const double loaded = static_cast<double>(down * rows) *
                                  static_cast<double>(across * columns) *
                                  (1 + 0.25 / static_cast<double>(together));
            const double cost =
                loaded / std::min(1.0, static_cast<double>(blocks) / (0.75 * units));
            if (cost >= least || blocks > detail::most_blocks) continue;
            least = cost;
            fit.blocks = blocks;
            fit.geometry.staged = {.tile_height = static_cast<std::int32_t>(height),
                                   .region_height = static_cast<std::int32_t>(rows),
                                   .tile_width = detail::count_divisor(width),
                                   .region_width = detail::count_divisor(columns),
                                   .chunks = detail::count_divisor(together),
                                   .groups = detail::count_divisor(groups),
                                   .across = detail::count_divisor(across),
                                   .down = detail::count_divisor(down),
                                   .whole_chunks = detail::allows_chunks(p.head) ? 1 : 0};
            fit.reason = pool_fit::misfit::none;
        }
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
    if (fit.blocks > detail::most_blocks) fit.reason = pool_fit::misfit::grid;
    return fit;
}

} // namespace r9v::inline R9V_ABI
