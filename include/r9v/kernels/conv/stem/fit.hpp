// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which rectangle of the result a block of a stem kernel computes, and which tile is the fastest
// for a shape. Host code.
#pragma once

#include <r9v/kernels/conv/fit.hpp>
#include <r9v/kernels/conv/stem/geometry.hpp>
#include <r9v/kernels/conv/stem/pooled.hpp>
#include <r9v/kernels/conv/stem/tuning.hpp>
#include <r9v/kernels/reach.hpp>

#include <algorithm>
#include <limits>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class Head>
[[nodiscard]] stem_map stem_map_of(const Head& head) {
    constexpr index_t bytes = sizeof(typename Head::element);
    const auto number = [](index_t n) {
        return static_cast<std::int32_t>(n);
    };
    stem_map map;
    map.height = number(head.height());
    map.width = number(head.width());
    map.channels = number(head.channels());
    map.filter_rows = number(head.f.extents.r);
    map.filter_columns = number(head.f.extents.s);
    map.stride_height = head.how.stride.height;
    map.stride_width = head.how.stride.width;
    map.dilation_height = head.f.extents.r == 1 ? 1 : head.how.dilation.height;
    map.dilation_width = head.f.extents.s == 1 ? 1 : head.how.dilation.width;
    map.pad_top = head.how.pad.top;
    map.pad_left = head.how.pad.left;
    map.image_bytes = head.x.view.strides[0] * bytes;
    map.row_bytes = head.row_stride() * bytes;
    map.pixel_bytes = head.pixel_stride() * bytes;
    map.channel_bytes = head.channel_stride() * bytes;
    map.of_channels = count_divisor(head.channels());
    return map;
}

/// The band under `height` x `width` pixels of the result, of which `most` bytes may be used.
[[nodiscard]] inline stem_band stem_band_of(const stem_map& map, index_t height, index_t width,
                                            index_t most) {
    constexpr index_t chunk = stem_layout::chunk;
    stem_band band;
    const index_t rows =
        (height - 1) * map.stride_height + index_t{map.filter_rows - 1} * map.dilation_height + 1;
    const index_t across =
        (width - 1) * map.stride_width + index_t{map.filter_columns - 1} * map.dilation_width + 1;
    const index_t phase = ceil_div<index_t>(across, map.dilation_width);
    // The last pixel of the last phase reads whole chunks, in pairs.
    const index_t reads = ceil_div<index_t>(map.filter_columns * map.channels, 2 * chunk) * 2;
    const index_t last =
        (map.dilation_width - 1) * phase + (width - 1) * map.stride_width / map.dilation_width;
    const index_t pieces = ceil_div(last * map.channels, chunk) + reads;
    // Two rows that are read at once are 64 bytes apart among the banks.
    const index_t pitch = align_up<index_t>(pieces * 16 + 64, 128) - 64;
    band.fits = rows <= most && pitch <= most && rows * pitch <= most;
    if (band.fits == 0) return band;
    band.rows = static_cast<std::int32_t>(rows);
    band.pieces = static_cast<std::int32_t>(pieces);
    band.pitch = static_cast<std::int32_t>(pitch);
    band.phase = map.dilation_width == 1 ? std::numeric_limits<std::int32_t>::max()
                                         : static_cast<std::int32_t>(phase);
    band.dense = map.dilation_width == 1 && (map.channels == 1 || map.channel_bytes == 2) &&
                 (map.width <= 1 || map.pixel_bytes == 2 * map.channels) && map.row_bytes >= 0 &&
                 rows * map.row_bytes < (index_t{1} << 30);
    band.of_pieces = count_divisor(pieces);
    band.of_elements = count_divisor(pieces * chunk);
    band.of_phase = count_divisor(band.phase);
    band.of_dilation = count_divisor(map.dilation_width);
    return band;
}

/// Sets the tiles of a geometry: `down` x `across` of them.
inline void lay_out(stem_geometry& g, index_t height, index_t width, index_t down, index_t across,
                    index_t of_channels) {
    stem_tiles& tiles = g.tiles;
    tiles.height = static_cast<std::int32_t>(height);
    tiles.width = static_cast<std::int32_t>(width);
    tiles.step_height = tiles.height;
    tiles.step_width = tiles.width;
    tiles.of_width = count_divisor(width);
    tiles.of_channels = count_divisor(of_channels);
    tiles.of_columns = count_divisor(across);
    tiles.of_rows = count_divisor(down);
}

} // namespace detail

/// Why a stem convolution cannot run with a tile.
enum class stem_misfit {
    none,
    grid, ///< more pixels or blocks than a launch may have
    pool, ///< the pool's window needs more pixels than a block has
};

struct stem_choice {
    int tile = -1; ///< its place in the list; -1: none fits
    stem_misfit misfit = stem_misfit::none;
    stem_geometry geometry;
    index_t blocks = 0;
};

namespace detail {

/// What does not depend on the tile; `misfit` where no launch can have so many pixels.
template<class Program>
[[nodiscard]] stem_choice stem_geometry_of(const Program& p) {
    constexpr index_t most = std::numeric_limits<std::int32_t>::max();
    const extents result = p.head.result();
    stem_choice choice;
    stem_geometry& g = choice.geometry;
    const index_t image = result.heads * result.rows;
    if (image > most || result.batches > most / std::max<index_t>(image, 1) ||
        result.columns > most / 2 || longest_padded(p.head) > most) {
        choice.misfit = stem_misfit::grid;
        return choice;
    }
    g.m = result.batches * image;
    g.height = static_cast<std::int32_t>(result.heads);
    g.width = static_cast<std::int32_t>(result.rows);
    g.channels = static_cast<std::int32_t>(result.columns);
    g.steps = static_cast<std::int32_t>(stem_layout{p.head.f.extents}.steps);
    g.map = stem_map_of(p.head);
    return choice;
}

/// The rectangle of up to `pixels` pixels, in rows of whole fragments, that needs the fewest tiles
/// and, of those, the smallest bands.
[[nodiscard]] inline index_t choose_rectangle(stem_geometry& g, index_t pixels) {
    index_t best_tiles = std::numeric_limits<index_t>::max();
    index_t best_bytes = 0;
    for (const bool all : {true, false}) { // a rectangle whose band does not fit, if none does
        for (index_t width = 16; width <= pixels; width *= 2)
            for (index_t height = pixels / width; height >= 1; height /= 2) {
                const stem_band band = stem_band_of(g.map, height, width, stem_band_bytes);
                if (all && band.fits == 0) continue;
                const index_t down = ceil_div<index_t>(g.height, height);
                const index_t across = ceil_div<index_t>(g.width, width);
                const index_t bytes = index_t{band.rows} * band.pitch;
                if (down * across > best_tiles ||
                    (down * across == best_tiles && bytes >= best_bytes))
                    continue;
                best_tiles = down * across;
                best_bytes = bytes;
                g.band = band;
                lay_out(g, height, width, down, across, 1);
            }
        if (best_tiles != std::numeric_limits<index_t>::max()) break;
    }
    return best_tiles;
}

[[nodiscard]] inline bool is_launchable(index_t tiles, index_t images, index_t of_channels,
                                        int threads) {
    const index_t most = index_t{std::numeric_limits<std::int32_t>::max()} / threads;
    return tiles <= most && images <= most / std::max<index_t>(tiles, 1) &&
           of_channels <= most / std::max<index_t>(tiles * images, 1);
}

} // namespace detail

namespace detail {

/// The rectangle of the pooled result whose windows see up to `pixels` pixels that needs the fewest
/// tiles and, of those, the smallest bands. 0: a window sees more.
[[nodiscard]] inline index_t choose_pooled_rectangle(stem_geometry& g, index_t pixels,
                                                     index_t band_bytes) {
    const pooling& how = g.pool;
    index_t best_tiles = 0;
    index_t best_bytes = 0;
    for (index_t height = 1; height <= g.pooled_height; ++height) {
        const index_t rows = (height - 1) * how.stride.height +
                             index_t{how.window.height - 1} * how.dilation.height + 1;
        for (index_t width = 1; width <= g.pooled_width; ++width) {
            const index_t across = (width - 1) * how.stride.width +
                                   index_t{how.window.width - 1} * how.dilation.width + 1;
            if (rows * across > pixels) break;
            const stem_band band = stem_band_of(g.map, rows, across, band_bytes);
            const index_t tiles = ceil_div<index_t>(g.pooled_height, height) *
                                  ceil_div<index_t>(g.pooled_width, width);
            const index_t bytes = band.fits != 0 ? index_t{band.rows} * band.pitch : band_bytes + 1;
            if (best_tiles != 0 &&
                (tiles > best_tiles || (tiles == best_tiles && bytes >= best_bytes)))
                continue;
            best_tiles = tiles;
            best_bytes = bytes;
            g.band = band;
            g.pooled_tile_height = static_cast<std::int32_t>(height);
            g.pooled_tile_width = static_cast<std::int32_t>(width);
            lay_out(g, rows, across, ceil_div<index_t>(g.pooled_height, height),
                    ceil_div<index_t>(g.pooled_width, width), 1);
        }
        if (rows > pixels) break;
    }
    g.of_pooled_width = count_divisor(g.pooled_tile_width);
    g.tiles.step_height = g.pooled_tile_height * how.stride.height;
    g.tiles.step_width = g.pooled_tile_width * how.stride.width;
    g.tiles.first_row = -how.pad.top;
    g.tiles.first_column = -how.pad.left;
    return best_tiles;
}

/// Sets the geometry's rectangles, and gives the number of tiles of an image.
template<class Program>
[[nodiscard]] index_t choose_tiles(const Program& p, const stem_tile& t, stem_choice& choice) {
    stem_geometry& g = choice.geometry;
    if constexpr (Program::chain_type::has_pool) {
        g.pool = pooling_of(p.chain);
        const extents pooled = pooled_result(p.head, g.pool);
        g.pooled_height = static_cast<std::int32_t>(pooled.heads);
        g.pooled_width = static_cast<std::int32_t>(pooled.rows);
        const index_t tiles = choose_pooled_rectangle(g, t.m, index_t{t.m} * t.n * 2);
        if (tiles == 0) choice.misfit = stem_misfit::pool;
        reach_check before{std::max(g.width, g.pooled_width), t.n, g.channels};
        reach_check behind = before;
        for_each_beside_pool<false>(p.chain, [&](const auto& op) { visit_op(op, before); });
        for_each_beside_pool<true>(p.chain, [&](const auto& op) { visit_op(op, behind); });
        g.wide_chain = before.fits;
        g.wide_pooled_chain = behind.fits;
        return tiles;
    } else {
        g.wide_chain = is_within_reach(p.chain, 16, t.n, g.channels);
        return choose_rectangle(g, t.m);
    }
}

} // namespace detail

/// The geometry of a stem convolution with a tile, and whether it may run with it.
template<class Program>
[[nodiscard]] stem_choice fit_stem(const Program& p, const stem_tile& t) {
    stem_choice choice = detail::stem_geometry_of(p);
    stem_geometry& g = choice.geometry;
    if (choice.misfit != stem_misfit::none || g.m == 0 || g.channels == 0) return choice;
    const index_t of_channels = ceil_div<index_t>(g.channels, t.n);
    const index_t tiles = detail::choose_tiles(p, t, choice);
    if (choice.misfit != stem_misfit::none) return choice;
    if (!detail::is_launchable(tiles, p.head.batches(), of_channels, t.threads())) {
        choice.misfit = stem_misfit::grid;
        return choice;
    }
    g.tiles.of_channels = detail::count_divisor(of_channels);
    g.parts = static_cast<std::int32_t>(of_channels);
    choice.blocks = tiles * p.head.batches() * of_channels;
    return choice;
}

/// The tile of the list that multiplies the least in vain.
template<class Program, stem_tile... Tiles>
[[nodiscard]] stem_choice choose_stem(const Program& p, tile_list<Tiles...>) {
    constexpr stem_tile tiles[] = {Tiles...};
    stem_choice best;
    index_t least = std::numeric_limits<index_t>::max();
    for (int i = 0; i < static_cast<int>(sizeof...(Tiles)); ++i) {
        stem_choice candidate = fit_stem(p, tiles[i]);
        if (candidate.misfit != stem_misfit::none) {
            if (best.tile < 0) best.misfit = candidate.misfit;
            continue;
        }
        const index_t products = candidate.blocks * tiles[i].m * tiles[i].n;
        if (products >= least) continue;
        least = products;
        best = candidate;
        best.tile = i;
        best.misfit = stem_misfit::none;
    }
    return best;
}

} // namespace r9v::inline R9V_ABI
