// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tiles a transposed convolution's tensors allow, and which of those is the fastest for its
// shape. Host code.
#pragma once

#include <r9v/kernels/conv/fit.hpp>
#include <r9v/kernels/conv/transposed/geometry.hpp>
#include <r9v/kernels/conv/transposed/problem.hpp>
#include <r9v/kernels/conv/tuning.hpp>

#include <algorithm>
#include <limits>

namespace r9v::inline R9V_ABI {

namespace detail {

/// The longer side of the result with what its pads take away and a stride more, in which kernels
/// count with 32 bits. Maps are no longer.
template<class Head>
[[nodiscard]] index_t longest_padded_result(const Head& head) {
    const transposed_convolution& how = head.how;
    return std::max(head.out_height() + how.pad.top + how.pad.bottom + how.stride.height,
                    head.out_width() + how.pad.left + how.pad.right + how.stride.width);
}

/// What all phases have in common. Taps of a phase run backwards over the map.
template<class Head>
[[nodiscard]] tile::patch_geometry map_of_phases(const Head& head, const phase_axis& height,
                                                 const phase_axis& width) {
    constexpr index_t bytes = sizeof(typename Head::element);
    tile::patch_geometry map;
    map.height = static_cast<std::int32_t>(head.height());
    map.width = static_cast<std::int32_t>(head.width());
    map.channels = static_cast<std::int32_t>(head.f.extents.c);
    map.dilation_height = -height.distance();
    map.dilation_width = -width.distance();
    map.image_bytes = head.x.view.strides[0] * bytes;
    map.row_bytes = head.row_stride() * bytes;
    map.pixel_bytes = head.pixel_stride() * bytes;
    map.channel_bytes = head.channel_stride() * bytes;
    // Maps without pixels reach no pixel of the result, and have nothing to load.
    if (head.height() * head.width() == 0) {
        map.slabs = 0;
    } else {
        map.slabs = static_cast<std::int32_t>(transposed_depth(head.f.extents) / filter_step);
    }
    return map;
}

/// Whether the loads of 16 bytes can walk this map: see patch_loader.
template<class Head>
[[nodiscard]] bool allows_patches(const Head& head, const conv_transpose_geometry& g, int rows) {
    constexpr index_t offsets = index_t{1} << 31;
    const tile::patch_geometry& map = g.map;
    const auto span = [](index_t count, index_t bytes) { // no product overflows
        return bytes != 0 && count > offsets / bytes ? offsets : count * bytes;
    };
    const index_t images = ceil_div<index_t>(rows, g.pixels[1][1].value) + 1;
    return head.f.extents.c % 8 == 0 &&
           ceil_div<index_t>(head.f.extents.r, g.height.step.value) <= map.most_taps &&
           g.taps_across[0].value <= map.most_taps && map.image_bytes >= 0 && map.row_bytes >= 0 &&
           map.pixel_bytes >= 0 &&
           span(images, map.image_bytes) +
                   span(g.pixels[0][0].value / g.columns[0].value, map.row_bytes) +
                   span(g.columns[0].value, map.pixel_bytes) <
               offsets - (1 << 16);
}

/// Estimated cycles: blocks of a compute unit one after another, each as long as its products take.
constexpr double transposed_cycles(const conv_tile& t, double slabs, index_t blocks,
                                   int compute_units) {
    constexpr double start_and_finish = 3000;
    const double slab = t.m * t.n / 16.0 * (t.m * t.n >= 128 * 128 ? 1.0 : 1.15);
    const double scattered = t.regime == conv_regime::scattered ? 2 : 1;
    return static_cast<double>(ceil_div<index_t>(blocks, compute_units)) * scattered *
           (slabs * slab + start_and_finish);
}

} // namespace detail

struct conv_transpose_choice {
    int tile = -1; ///< its place in the list; -1: none fits
    bool is_too_large = false;
    conv_transpose_geometry geometry;
    index_t blocks = 0;
    double cycles = 0;
};

/// The numbers of all phases.
template<class Head>
[[nodiscard]] conv_transpose_geometry phases_of(const Head& head) {
    const transposed_convolution& how = head.how;
    const filter_extents& f = head.f.extents;
    conv_transpose_geometry g;
    g.images = head.batches();
    g.groups = how.groups;
    g.n = f.k / how.groups;
    g.height = {how.stride.height, how.dilation.height, how.pad.top, f.r, head.out_height()};
    g.width = {how.stride.width, how.dilation.width, how.pad.left, f.s, head.out_width()};
    g.phases = detail::count_divisor(index_t{how.stride.height} * how.stride.width);
    g.phases_across = g.width.stride;
    g.taps_across[0] = detail::count_divisor(ceil_div<index_t>(f.s, g.width.step.value));
    g.taps_across[1] = detail::count_divisor(f.s / g.width.step.value);
    const index_t rows[2] = {ceil_div<index_t>(head.out_height(), how.stride.height),
                             head.out_height() / how.stride.height};
    const index_t columns[2] = {ceil_div<index_t>(head.out_width(), how.stride.width),
                                head.out_width() / how.stride.width};
    for (int across = 0; across < 2; ++across) {
        g.columns[across] = detail::count_divisor(columns[across]);
        for (int down = 0; down < 2; ++down)
            g.pixels[down][across] = detail::count_divisor(rows[down] * columns[across]);
    }
    g.of_row = detail::count_divisor(head.out_width());
    g.of_image = detail::count_divisor(head.out_height() * head.out_width());
    g.rows = head.batches() * head.out_height() * head.out_width();
    g.whole_runs = how.groups == 1 || g.n % 8 == 0;
    g.map = detail::map_of_phases(head, g.height, g.width);
    return g;
}

/// The geometry of a transposed convolution with a tile, and whether it may run with it.
template<class Program>
[[nodiscard]] conv_transpose_choice fit_transposed(const Program& p, const conv_tile& t,
                                                   int compute_units) {
    const auto& head = p.head;
    const filter_extents& f = head.f.extents;
    constexpr index_t most = std::numeric_limits<std::int32_t>::max();
    conv_transpose_choice choice;
    choice.is_too_large =
        head.out_height() * head.out_width() > most ||
        head.out_height() * head.out_width() > most / std::max<index_t>(head.batches(), 1) ||
        head.f.elements() > most || detail::longest_padded_result(head) > most;
    if (choice.is_too_large) return choice;
    conv_transpose_geometry& g = choice.geometry = phases_of(head);
    g.wide_chain = g.whole_runs != 0 && detail::is_flat(p.chain, head.result()) &&
                   detail::is_within_reach(p.chain, g.rows, 16, f.k);
    if (t.regime != conv_regime::scattered && !detail::allows_patches(head, g, t.m)) return choice;

    const index_t tiles_m = ceil_div<index_t>(g.images * g.pixels[0][0].value, t.m);
    const index_t tiles_n = ceil_div<index_t>(g.n, t.n);
    const index_t most_blocks = most / t.threads() / g.phases.value;
    choice.is_too_large = tiles_m > most_blocks / std::max<index_t>(tiles_n * g.groups, 1);
    if (choice.is_too_large) return choice;
    choice.tile = 0;
    if (g.rows == 0 || tiles_n == 0) return choice;
    g.tiles = tile::raster::of(tiles_m, tiles_n);
    g.parts = static_cast<std::int32_t>(g.groups * tiles_n) * t.waves_n;
    choice.blocks = tiles_m * tiles_n * g.groups * g.phases.value;
    const auto taps = static_cast<double>(f.r * f.s) / g.phases.value;
    choice.cycles = detail::transposed_cycles(t, taps * g.map.slabs, choice.blocks, compute_units);
    return choice;
}

/// The tile of the list that is estimated to be the fastest on a device of `compute_units`.
template<class Program, conv_tile... Tiles>
[[nodiscard]] conv_transpose_choice choose_transposed(const Program& p, tile_list<Tiles...> tiles,
                                                      int compute_units) {
    return detail::choose_by_cycles(
        [&](const conv_tile& t) { return fit_transposed(p, t, compute_units); }, tiles);
}

} // namespace r9v::inline R9V_ABI
