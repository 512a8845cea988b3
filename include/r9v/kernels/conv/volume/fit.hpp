// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tiles the tensors of a convolution over volumes allow, and which of those is the fastest
// for its shape. Host code.
#pragma once

#include <r9v/kernels/conv/fit.hpp>
#include <r9v/kernels/conv/volume/geometry.hpp>
#include <r9v/kernels/conv/volume/problem.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class Head>
[[nodiscard]] volume_map volume_of(const Head& head) {
    constexpr index_t bytes = sizeof(typename Head::element);
    const volume_filter_extents& f = head.f.extents;
    const volume_convolution& how = head.how;
    const auto number = [](index_t n) {
        return static_cast<std::int32_t>(n);
    };
    volume_map map;
    map.of_image = count_divisor(head.out_height() * head.out_width());
    map.of_row = count_divisor(head.out_width());
    map.of_volume = count_divisor(head.out_depth());
    map.of_rows = count_divisor(f.r);
    map.of_columns = count_divisor(f.s);
    map.of_channels = count_divisor(f.c);
    map.depth = number(head.depth());
    map.height = number(head.height());
    map.width = number(head.width());
    map.channels = number(f.c);
    map.filter_frames = number(f.t);
    map.filter_rows = number(f.r);
    map.filter_columns = number(f.s);
    map.stride_depth = how.stride.depth;
    map.stride_height = how.stride.height;
    map.stride_width = how.stride.width;
    map.dilation_depth = how.dilation.depth;
    map.dilation_height = how.dilation.height;
    map.dilation_width = how.dilation.width;
    map.pad_front = how.pad.front;
    map.pad_top = how.pad.top;
    map.pad_left = how.pad.left;
    map.is_single = head.batches() == 1;
    map.image_bytes = head.x.view.strides[0] * bytes;
    map.frame_bytes = head.x.view.strides[1] * bytes;
    map.row_bytes = head.x.view.strides[2] * bytes;
    map.pixel_bytes = head.x.view.strides[3] * bytes;
    map.channel_bytes = head.channel_stride() * bytes;
    map.slabs = number(packed_depth(flattened(f)) / filter_step);
    map.whole_rows = is_stem(flattened(f));
    return map;
}

/// Whether the loads of 16 bytes can walk this volume: see patch_walk.
template<class Head>
[[nodiscard]] bool allows_volume_patches(const Head& head, const volume_map& map, int rows) {
    constexpr index_t offsets = index_t{1} << 31;
    const volume_padding& pad = head.how.pad;
    if (map.whole_rows != 0 || map.channels % 8 != 0 || map.rows_of_taps() > map.most_taps ||
        map.filter_columns > map.most_taps || map.image_bytes < 0 || map.frame_bytes < 0 ||
        map.row_bytes < 0 || map.pixel_bytes < 0)
        return false;
    const auto span = [](index_t count, index_t bytes) { // no product overflows
        return bytes != 0 && count > offsets / bytes ? offsets : count * bytes;
    };
    const index_t of_block = ceil_div<index_t>(rows, map.of_image.value) + 1; // frames
    const index_t frames =
        map.is_single != 0 ? of_block * map.stride_depth : head.depth() + pad.front + pad.back;
    const index_t volumes =
        map.is_single != 0 ? 0 : ceil_div<index_t>(of_block, map.of_volume.value);
    return span(volumes, map.image_bytes) + span(frames, map.frame_bytes) +
               span(head.height() + pad.top + pad.bottom, map.row_bytes) +
               span(head.width() + pad.left + pad.right, map.pixel_bytes) <
           offsets - (1 << 16);
}

} // namespace detail

struct conv_volume_choice {
    int tile = -1; ///< its place in the list; -1: none fits
    bool is_too_large = false;
    conv_volume_geometry geometry;
    index_t blocks = 0;
    double cycles = 0;
};

/// The geometry of a convolution over volumes with a tile, and whether it may run with it.
template<class Program>
[[nodiscard]] conv_volume_choice fit_volume(const Program& p, const conv_tile& t,
                                            int compute_units) {
    const auto& head = p.head;
    const extents result = head.result();
    constexpr index_t most = std::numeric_limits<std::int32_t>::max();
    conv_volume_choice choice;
    conv_volume_geometry& g = choice.geometry;
    const index_t frame = result.heads * result.rows;
    choice.is_too_large = frame > most || result.batches > most / std::max<index_t>(frame, 1) ||
                          head.batches() * head.depth() > most ||
                          head.depth() + head.how.pad.front + head.how.pad.back > most ||
                          detail::longest_padded(head) > most;
    if (choice.is_too_large) return choice;
    g.m = result.batches * frame;
    g.n = result.columns / head.how.groups;
    // Volumes without pixels are all padding, and have nothing to load.
    g.k = head.depth() * head.height() * head.width() == 0
              ? 0
              : detail::packed_row(detail::flattened(head.f.extents));
    g.batches = head.how.groups;
    g.volume = detail::volume_of(head);
    g.map = g.volume;
    g.flattened = detail::is_flat(p.chain, result);
    g.wide_chain = g.flattened != 0 && detail::is_within_reach(p.chain, 16, 16, result.columns) &&
                   (g.batches == 1 || detail::keeps_to_groups(p.chain, g.n));
    if (t.regime != conv_regime::scattered && !detail::allows_volume_patches(head, g.volume, t.m))
        return choice;

    const index_t tiles_m = ceil_div<index_t>(g.m, t.m);
    const index_t tiles_n = ceil_div<index_t>(g.n, t.n);
    const index_t most_blocks = most / t.threads();
    choice.is_too_large = tiles_m > most_blocks / std::max<index_t>(tiles_n * g.batches, 1);
    if (choice.is_too_large) return choice;
    choice.tile = 0;
    choice.blocks = tiles_m * tiles_n * g.batches;
    choice.cycles = detail::conv_estimate{}.cycles(t, g, choice.blocks, compute_units);
    if (t.regime == conv_regime::scattered) choice.cycles *= 2; // eight times as many loads
    if (tiles_m == 0 || tiles_n == 0) return choice;
    g.tiles = tile::raster::of(tiles_m, tiles_n);
    g.parts = static_cast<std::int32_t>(g.batches * tiles_n * t.waves_n);
    return choice;
}

/// The tile of the list that is estimated to be the fastest on a device of `compute_units`.
template<class Program, conv_tile... Tiles>
[[nodiscard]] conv_volume_choice choose_volume(const Program& p, tile_list<Tiles...> tiles,
                                               int compute_units) {
    return detail::choose_by_cycles(
        [&](const conv_tile& t) { return fit_volume(p, t, compute_units); }, tiles);
}

} // namespace r9v::inline R9V_ABI
