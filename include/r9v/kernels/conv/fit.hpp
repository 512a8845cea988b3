// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tiles a convolution's tensors allow, and which of those is the fastest for its shape. Host
// code.
#pragma once

#include <r9v/kernels/conv/tuning.hpp>
#include <r9v/kernels/counting.hpp>
#include <r9v/kernels/reach.hpp>
#include <r9v/ops/position.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Whether pixels may be counted through: each operand's rows and images follow on one another.
struct flat_check {
    extents size;
    bool flat = true;

    template<span Span, class View>
    void operator()(const char*, const operand<Span, View>& o, access) {
        using op = operand<Span, View>;
        if constexpr (Span == span::scalar || Span == span::column) {
            flat = flat && (!op::has_batch || (size.batches == 1 && size.heads == 1));
        } else if constexpr (Span == span::head) {
            flat = flat && size.heads == 1 && (!op::has_batch || size.batches == 1);
        } else {
            // What lacks an axis is the same all along it, which counting would not see.
            const index_t pixel = o.row_stride();
            if constexpr (op::has_head) {
                flat = flat && (size.heads == 1 || o.view.strides[1] == size.rows * pixel);
            } else {
                flat = flat && size.heads == 1;
            }
            if constexpr (op::has_batch) {
                flat = flat &&
                       (size.batches == 1 || o.view.strides[0] == size.heads * size.rows * pixel);
            } else {
                flat = flat && size.batches == 1;
            }
        }
    }
};

template<class Chain>
bool is_flat(const Chain& ops, const extents& size) {
    if constexpr (chain_sees_position<Chain>) {
        return size.batches == 1 && size.heads == 1;
    } else {
        flat_check check{size};
        visit_operands(ops, check);
        return check.flat;
    }
}

template<class Head>
[[nodiscard]] tile::patch_geometry patches_of(const Head& head) {
    constexpr index_t bytes = sizeof(typename Head::element);
    const filter_extents& f = head.f.extents;
    const auto number = [](index_t n) {
        return static_cast<std::int32_t>(n);
    };
    tile::patch_geometry g;
    g.of_image = count_divisor(head.out_height() * head.out_width());
    g.of_row = count_divisor(head.out_width());
    g.height = number(head.height());
    g.width = number(head.width());
    g.channels = number(f.c);
    g.filter_rows = number(f.r);
    g.filter_columns = number(f.s);
    g.stride_height = head.how.stride.height;
    g.stride_width = head.how.stride.width;
    g.dilation_height = head.how.dilation.height;
    g.dilation_width = head.how.dilation.width;
    g.pad_top = head.how.pad.top;
    g.pad_left = head.how.pad.left;
    g.image_bytes = head.x.view.strides[0] * bytes;
    g.row_bytes = head.row_stride() * bytes;
    g.pixel_bytes = head.pixel_stride() * bytes;
    g.channel_bytes = head.channel_stride() * bytes;
    g.slabs = number(packed_depth(f) / filter_step);
    g.whole_rows = is_stem(f);
    g.of_columns = count_divisor(f.s);
    g.of_channels = count_divisor(f.c);
    return g;
}

/// The longer side of the padded map, in which kernels count with 32 bits.
template<class Head>
[[nodiscard]] index_t longest_padded(const Head& head) {
    const auto& pad = head.how.pad;
    return std::max(head.height() + pad.top + pad.bottom, head.width() + pad.left + pad.right);
}

/// Whether the loads of 16 bytes can walk this map: see patch_loader.
template<class Head>
[[nodiscard]] bool allows_patches(const Head& head, const tile::patch_geometry& g, int rows) {
    const filter_extents& f = head.f.extents;
    const index_t offsets = index_t{1} << 31;
    const index_t images = ceil_div<index_t>(rows, g.of_image.value) + 1;
    const index_t tallest = (head.height() + head.how.pad.top + head.how.pad.bottom) * g.row_bytes +
                            (head.width() + head.how.pad.left + head.how.pad.right) * g.pixel_bytes;
    return !is_stem(f) && f.c % 8 == 0 && f.r <= tile::patch_geometry::most_taps &&
           f.s <= tile::patch_geometry::most_taps && g.image_bytes >= 0 && g.row_bytes >= 0 &&
           g.pixel_bytes >= 0 && g.image_bytes < offsets / images - tallest &&
           tallest < offsets / 4;
}

/// Estimated cycles: what the busiest compute unit does, one round of blocks after another. It has
/// two SIMDs, on which a matrix instruction takes 16 cycles. The other figures are not published
/// for RDNA4 and stand for the order of tiles, not for times.
struct conv_estimate {
    double load_latency = 900;
    double bytes_of_cache = 48; ///< a cycle, that fragments of half lines get from the first level
    double bytes_of_unit = 64;  ///< that a compute unit gets from the second level
    double bytes_of_device = 2048; ///< that 64 of them get
    double start_and_finish = 3000;

    [[nodiscard]] constexpr double cycles(const conv_tile& t, const conv_geometry& g,
                                          index_t blocks, int units) const {
        const bool is_streamed = t.regime == conv_regime::streamed;
        const index_t share = ceil_div<index_t>(std::max<index_t>(blocks, 1), units);
        const index_t together =
            std::min<index_t>(share, is_streamed || t.threads() == 256 ? 2 : 4);
        const index_t parts = index_t{1} << g.split.k;
        const index_t slabs = ceil_div(g.k / filter_step, parts);
        const index_t m = index_t{t.m} << g.split.m;
        const index_t n = index_t{t.n} << g.split.n;
        const auto busy = static_cast<double>(std::clamp<index_t>(blocks, 1, units));
        const double width = std::min(bytes_of_unit, bytes_of_device / 64 * units / busy);
        const double products = static_cast<double>(parts * m * n) / 16;
        const double bytes = static_cast<double>(parts * (m + n) * 64) / width;
        const double fragments =
            is_streamed ? static_cast<double>(t.waves_k * (t.m + t.n) * 64) / bytes_of_cache : 0;
        // Two slabs are on their way to registers; to LDS it is one.
        const double latency = is_streamed ? load_latency / 2 : load_latency;
        const double slab = std::max(
            static_cast<double>(together) * std::max({products, bytes, fragments}), latency);
        return static_cast<double>(ceil_div(share, together)) *
               (static_cast<double>(slabs) * slab + start_and_finish);
    }
};

/// The share of a block's waves that is the fastest for a shape. Each column of fragments of a tile
/// has a wave to finish it.
template<class Place>
constexpr wave_split fastest_split(const conv_tile& t, conv_geometry g, int units,
                                   const Place& blocks_of) {
    wave_split best;
    double least = 0;
    const int all = std::countr_zero(static_cast<unsigned>(t.waves_k));
    const int fewest = std::countr_zero(static_cast<unsigned>(t.n / 16));
    for (int k = fewest; k <= all; ++k)
        for (int n = 0; n <= all - k; ++n) {
            g.split = {all - k - n, n, k};
            const double cycles = conv_estimate{}.cycles(t, g, blocks_of(g.split), units);
            if (k + n > fewest && cycles >= least) continue;
            least = cycles;
            best = g.split;
        }
    return best;
}

} // namespace detail

/// Why a convolution cannot run with a tile.
enum class conv_misfit {
    none,
    channels, ///< 16-byte loads need contiguous channels, a multiple of 8, more than 4
    grid,     ///< more pixels or blocks than a launch may have
};

struct conv_choice {
    int tile = -1; ///< its place in the list; -1: none fits
    conv_misfit misfit = conv_misfit::none;
    conv_geometry geometry;
    index_t blocks = 0;
};

/// The geometry of a convolution with a tile, and whether it may run with it.
template<class Program>
[[nodiscard]] conv_choice fit(const Program& p, const conv_tile& t, int compute_units) {
    const auto& head = p.head;
    const extents result = head.result();
    constexpr index_t most = std::numeric_limits<std::int32_t>::max();

    conv_choice choice;
    conv_geometry& g = choice.geometry;
    const index_t image = result.heads * result.rows;
    if (image > most || result.batches > most / std::max<index_t>(image, 1) ||
        detail::longest_padded(head) > most) {
        choice.misfit = conv_misfit::grid;
        return choice;
    }
    g.m = result.batches * image;
    g.n = result.columns / head.how.groups;
    // Maps without pixels are all padding, in which no tap is multiplied, and have nothing to load.
    g.k = head.height() * head.width() == 0 ? 0 : detail::packed_row(head.f.extents);
    g.batches = head.how.groups;
    g.map = detail::patches_of(head);
    g.flattened = detail::is_flat(p.chain, result);
    g.wide_chain = g.flattened != 0 && detail::is_within_reach(p.chain, 16, 16, result.columns) &&
                   (g.batches == 1 || detail::keeps_to_groups(p.chain, g.n));

    if (t.regime != conv_regime::scattered && !detail::allows_patches(head, g.map, t.m)) {
        choice.misfit = conv_misfit::channels;
        return choice;
    }
    const auto tiles_down = [&](const wave_split& split) {
        return ceil_div<index_t>(g.m, index_t{t.m} << split.m);
    };
    const auto tiles_across = [&](const wave_split& split) {
        return ceil_div<index_t>(g.n, index_t{t.n} << split.n);
    };
    if (t.regime == conv_regime::streamed)
        g.split = detail::fastest_split(t, g, compute_units, [&](const wave_split& split) {
            return tiles_down(split) * tiles_across(split) * g.batches;
        });
    const index_t tiles_m = tiles_down(g.split);
    const index_t tiles_n = tiles_across(g.split);
    const index_t most_blocks = index_t{std::numeric_limits<std::uint32_t>::max()} / t.threads();
    if (tiles_m * tiles_n > most_blocks / std::max<index_t>(g.batches, 1)) {
        choice.misfit = conv_misfit::grid;
        return choice;
    }
    if (tiles_m == 0 || tiles_n == 0) return choice;
    g.tiles = tile::raster::of(tiles_m, tiles_n);
    g.parts = static_cast<std::int32_t>(g.batches * (t.regime == conv_regime::streamed
                                                         ? ceil_div<index_t>(g.n, 16)
                                                         : tiles_n * t.waves_n));
    choice.blocks = tiles_m * tiles_n * g.batches;
    return choice;
}

/// The tile of the list that is estimated to be the fastest on a device of `compute_units`.
template<class Program, conv_tile... Tiles>
[[nodiscard]] conv_choice choose(const Program& p, tile_list<Tiles...>, int compute_units) {
    constexpr conv_tile tiles[] = {Tiles...};
    conv_choice best;
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < static_cast<int>(sizeof...(Tiles)); ++i) {
        conv_choice candidate = fit(p, tiles[i], compute_units);
        if (candidate.misfit != conv_misfit::none) {
            if (best.tile < 0) best.misfit = candidate.misfit;
            continue;
        }
        double cycles = detail::conv_estimate{}.cycles(tiles[i], candidate.geometry,
                                                       candidate.blocks, compute_units);
        if (tiles[i].regime == conv_regime::scattered) cycles *= 2; // eight times as many loads
        if (cycles >= least) continue;
        least = cycles;
        best = candidate;
        best.tile = i;
        best.misfit = conv_misfit::none;
    }
    return best;
}

} // namespace r9v::inline R9V_ABI
