// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How blocks share a depthwise convolution: the split that is estimated to be the fastest. Host
// code.
#pragma once

#include <r9v/kernels/conv/depthwise/geometry.hpp>
#include <r9v/kernels/conv/depthwise/tuning.hpp>
#include <r9v/kernels/conv/fit.hpp>

#include <algorithm>
#include <limits>

namespace r9v::inline R9V_ABI {

/// Why a depthwise convolution cannot run with a tile.
enum class depthwise_misfit {
    none,
    stage, ///< what one run of pixels needs does not fit into LDS
    grid,  ///< more pixels or blocks than a launch may have
};

struct depthwise_choice {
    int tile = -1; ///< its place in the list; -1: none fits
    depthwise_misfit misfit = depthwise_misfit::none;
    depthwise_geometry geometry;
    index_t blocks = 0;
};

namespace detail {

/// LDS in front of the weights, in chunks of 16 bytes: what the waves found out about them.
inline constexpr index_t depthwise_notes = 2;

/// Elements of an axis of the map that `positions` neighbouring positions of a filter span.
constexpr index_t spanned(index_t positions, index_t taps, index_t stride, index_t dilation) {
    return (positions - 1) * stride + (taps - 1) * dilation + 1;
}

/// One way to share the result among blocks.
struct depthwise_split {
    index_t chunks; ///< of input channels
    index_t rows;
    index_t runs;
    index_t blocks = 0;
    double time = 0; ///< estimated, in nanoseconds
};

/// What all splits of one convolution have in common.
struct depthwise_work {
    index_t images, height, width, rows, columns, inputs, multiplier, pad_top;
    index_t filter_rows, filter_columns, stride_height, stride_width, dilation_height,
        dilation_width;
    index_t run, threads, lds_chunks, compute_units;

    template<class Program>
    depthwise_work(const Program& p, const depthwise_tile& t, int units)
        : images{p.head.batches()},
          height{p.head.height()},
          width{p.head.width()},
          rows{p.head.out_height()},
          columns{p.head.out_width()},
          inputs{p.head.channels()},
          multiplier{p.head.f.extents.k / std::max<index_t>(inputs, 1)},
          pad_top{p.head.how.pad.top},
          filter_rows{p.head.f.extents.r},
          filter_columns{p.head.f.extents.s},
          stride_height{p.head.how.stride.height},
          stride_width{p.head.how.stride.width},
          dilation_height{p.head.how.dilation.height},
          dilation_width{p.head.how.dilation.width},
          run{t.run},
          threads{t.threads()},
          lds_chunks{t.lds_bytes / 16},
          compute_units{std::max(units, 1)} {}

    [[nodiscard]] index_t taps() const { return filter_rows * filter_columns; }
    /// Rows of the map that a block needs at most: the padding above and below is not staged.
    [[nodiscard]] index_t stage_rows(index_t tile_rows) const {
        const index_t span = spanned(tile_rows, filter_rows, stride_height, dilation_height);
        const index_t down = ceil_div(rows, tile_rows);
        if (down > 2) return std::max<index_t>(std::min(span, height), 1);
        const index_t above = std::min(height, span - pad_top);
        const index_t last = (down - 1) * tile_rows * stride_height - pad_top;
        const index_t below = std::min(span, height - std::max<index_t>(last, 0));
        return std::max<index_t>({1, above, below});
    }
    [[nodiscard]] index_t stage_columns(index_t runs) const {
        return spanned(runs * run, filter_columns, stride_width, dilation_width);
    }
    /// LDS of a block for a row of the map, beside its notes and weights; all in chunks.
    [[nodiscard]] index_t room_of_row(const depthwise_split& s) const {
        return (lds_chunks - depthwise_notes - taps() * s.chunks * multiplier) / stage_rows(s.rows);
    }
    [[nodiscard]] index_t stage_row(const depthwise_split& s) const {
        return stage_columns(s.runs) * s.chunks * multiplier;
    }
    /// Elements of an axis that blocks load, where they split it into `parts`.
    [[nodiscard]] static index_t loaded(index_t size, index_t positions, index_t parts,
                                        index_t span, index_t stride) {
        const index_t all = std::min(size, (positions - 1) * stride + span);
        return all + (parts - 1) * std::max<index_t>(span - stride, 0);
    }

    /// Bytes at the rate of memory, what one compute unit does at its own, and trips to memory of
    /// blocks that wait for one another.
    void estimate(depthwise_split& s) const {
        constexpr double unit_rate = 10; ///< bytes a nanosecond of memory, for each compute unit
        constexpr double fastest_unit = 40;
        constexpr double trip = 1000;
        constexpr double cycles = 2.5; ///< a nanosecond
        const index_t groups = ceil_div(ceil_div<index_t>(inputs, 8), s.chunks);
        const index_t down = ceil_div(rows, s.rows);
        const index_t across = ceil_div(columns, s.runs * run);
        s.blocks = images * groups * down * across;
        const auto blocks = static_cast<double>(s.blocks);
        const index_t high =
            loaded(height, rows, down, spanned(1, filter_rows, 1, dilation_height), stride_height);
        const index_t wide = loaded(width, columns, across,
                                    spanned(1, filter_columns, 1, dilation_width), stride_width);
        const auto outputs = static_cast<double>(images * rows * columns * inputs * multiplier);
        const double ideal = static_cast<double>(images * height * width * inputs * 2) +
                             static_cast<double>(taps() * inputs * multiplier * 2) + outputs * 2;
        const double bytes = static_cast<double>(images * high * wide * inputs * 2) +
                             blocks * static_cast<double>(taps() * s.chunks * multiplier * 16) +
                             outputs * 2;
        // Pieces of lines: L2 hands out whole ones.
        const double pieces =
            groups == 1 ? 1.0 : 1.0 + 0.03 * (8.0 / static_cast<double>(s.chunks) - 1.0);
        const double memory = bytes * pieces / (unit_rate * static_cast<double>(compute_units));
        // A block alone loads, computes and stores in turn; two share a compute unit.
        const index_t items = s.rows * s.runs * s.chunks * multiplier;
        const double item_cycles = static_cast<double>(run * (8 * taps() + 80)) + 200;
        const double block_cycles =
            static_cast<double>(ceil_div<index_t>(items, 32)) / 2 * item_cycles;
        const index_t share = ceil_div<index_t>(s.blocks, compute_units);
        const auto together = static_cast<double>(std::min<index_t>(share, 2));
        const double round =
            trip + together * (bytes * pieces / blocks / fastest_unit + block_cycles / cycles);
        const double rounds = static_cast<double>(ceil_div<index_t>(s.blocks, 2 * compute_units));
        s.time =
            std::max({memory, static_cast<double>(share) * block_cycles / cycles, rounds * round}) +
            memory * 0.25;
        // Pieces of the map that two blocks load come from L2 for the second, mostly.
        if (bytes > 1.06 * ideal) s.time *= 1 + 4 * (bytes / ideal - 1.06);
        if (bytes > 1.1 * ideal) s.time *= 1.5;
    }

    [[nodiscard]] depthwise_split best() const {
        depthwise_split best{0, 0, 0};
        const index_t all_runs = ceil_div(columns, run);
        const index_t all_chunks = ceil_div<index_t>(inputs, 8);
        for (index_t chunks = 1; chunks <= 8; chunks *= 2) {
            if (chunks > 1 && chunks / 2 >= all_chunks) break;
            index_t before = 0;
            for (index_t across = 1; across <= all_runs; across += 1 + across / 4) {
                const index_t runs = ceil_div(all_runs, across);
                if (runs == before) continue;
                before = runs;
                try_rows(best, chunks, runs);
            }
        }
        return best;
    }

private:
    void try_rows(depthwise_split& best, index_t chunks, index_t runs) const {
        for (index_t high = rows; high >= 1; high = high > 3 ? high * 2 / 3 : high - 1) {
            depthwise_split s{chunks, ceil_div(rows, ceil_div(rows, high)), runs};
            if (stage_row(s) > room_of_row(s)) continue;
            estimate(s);
            if (best.rows == 0 || s.time < best.time) best = s;
            if (s.blocks > 2 * compute_units) return;
        }
    }
};

/// The padding of LDS rows with which 8 lanes side by side meet the fewest banks twice.
inline index_t quietest_pitch(const depthwise_split& s, const depthwise_work& of) {
    const index_t chunks = s.chunks * of.multiplier;
    const index_t row = of.stage_row(s);
    const index_t most = std::min(row + 7, of.room_of_row(s));
    index_t best = row;
    int least = std::numeric_limits<int>::max();
    for (index_t pitch = row; pitch <= most; ++pitch) {
        int passes = 0;
        for (index_t first = 0; first < 32; first += 8) {
            int lanes[8] = {};
            for (index_t item = first; item < first + 8; ++item) {
                const index_t in_row = item / chunks;
                const index_t at = item % chunks +
                                   in_row % s.runs * of.run * of.stride_width * chunks +
                                   in_row / s.runs * of.stride_height * pitch;
                ++lanes[at % 8];
            }
            passes += *std::max_element(lanes, lanes + 8);
        }
        if (passes >= least) continue;
        least = passes;
        best = pitch;
    }
    return best;
}

template<class Head>
[[nodiscard]] depthwise_geometry depthwise_geometry_of(const Head& head) {
    constexpr index_t bytes = sizeof(typename Head::element);
    const auto number = [](index_t n) {
        return static_cast<std::int32_t>(n);
    };
    depthwise_geometry g;
    g.height = head.width() == 0 ? 0 : number(head.height()); // no row has anything to load
    g.width = number(head.width());
    g.rows = number(head.out_height());
    g.columns = number(head.out_width());
    g.outputs = number(head.f.extents.k);
    g.multiplier = count_divisor(head.f.extents.k / std::max<index_t>(head.channels(), 1));
    g.of_columns = count_divisor(g.columns);
    g.of_image = count_divisor(index_t{g.rows} * g.columns);
    g.of_outputs = count_divisor(ceil_div<index_t>(g.outputs, 8));
    g.pixels = head.batches() * g.rows * g.columns;
    g.filter_rows = number(head.f.extents.r);
    g.filter_columns = number(head.f.extents.s);
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
    g.parts = std::max(number(ceil_div<index_t>(g.outputs, 8)), 1);
    return g;
}

/// Whether a run of neighbouring columns has a kernel of its own.
inline bool has_window(const depthwise_geometry& g) {
    const std::int32_t s = g.filter_columns;
    return (s == 3 || s == 5 || s == 7) && g.stride_width <= 2 && g.dilation_width == 1;
}

} // namespace detail

/// The geometry of a depthwise convolution with a tile, and whether it may run with it.
template<class Program>
[[nodiscard]] depthwise_choice fit_depthwise(const Program& p, const depthwise_tile& t,
                                             int compute_units) {
    using head_type = typename Program::head_type;
    const extents result = p.head.result();
    constexpr index_t most = std::numeric_limits<std::int32_t>::max() / 2;
    const index_t most_blocks = index_t{std::numeric_limits<std::uint32_t>::max()} / t.threads();

    depthwise_choice choice;
    const index_t image = result.heads * result.rows;
    const index_t chunks = ceil_div<index_t>(result.columns, 8);
    if (image > most || result.batches > most / std::max<index_t>(image, 1) ||
        result.columns > most || detail::longest_padded(p.head) > most) {
        choice.misfit = depthwise_misfit::grid;
        return choice;
    }
    depthwise_geometry& g = choice.geometry;
    g = detail::depthwise_geometry_of(p.head);
    const bool flat = detail::is_flat(p.chain, result);
    if (g.pixels == 0 || chunks == 0) return choice;

    if (t.regime == depthwise_regime::direct) {
        if (chunks > most / g.pixels) {
            choice.misfit = depthwise_misfit::grid;
            return choice;
        }
        choice.blocks = ceil_div<index_t>(g.pixels * chunks, t.threads());
        return choice;
    }
    const detail::depthwise_work work{p, t, compute_units};
    const detail::depthwise_split s = work.best();
    const index_t filter_bytes = p.head.f.elements() * index_t{sizeof(typename head_type::element)};
    if (s.rows == 0 || filter_bytes > most) {
        choice.misfit = depthwise_misfit::stage;
        return choice;
    }
    if (s.blocks > std::min(most_blocks, most)) {
        choice.misfit = depthwise_misfit::grid;
        return choice;
    }
    const index_t all = s.chunks * work.multiplier;
    const index_t stage_rows = work.stage_rows(s.rows);
    g.groups = detail::count_divisor(ceil_div(chunks, all));
    g.across = detail::count_divisor(ceil_div(index_t{g.columns}, s.runs * t.run));
    g.down = detail::count_divisor(ceil_div(index_t{g.rows}, s.rows));
    g.tile_rows = static_cast<std::int32_t>(s.rows);
    g.tile_runs = detail::count_divisor(s.runs);
    g.tile_chunks = detail::count_divisor(all);
    g.stage_chunks = detail::count_divisor(s.chunks);
    g.stage_columns = detail::count_divisor(work.stage_columns(s.runs));
    g.stage_pixels = detail::count_divisor(work.stage_columns(s.runs) * stage_rows);
    g.stage_rows = static_cast<std::int32_t>(stage_rows);
    const index_t step_pixels = t.threads() / s.chunks;
    g.step_chunks = static_cast<std::int32_t>(t.threads() % s.chunks);
    g.step_columns = static_cast<std::int32_t>(step_pixels % work.stage_columns(s.runs));
    g.step_rows = static_cast<std::int32_t>(step_pixels / work.stage_columns(s.runs));
    g.pitch = static_cast<std::int32_t>(detail::quietest_pitch(s, work));
    const index_t reach = most / 2;
    g.wide_map = head_type::x_view::element_layout == layout::row_major && work.inputs % 8 == 0 &&
                 g.row_bytes >= 0 && g.pixel_bytes >= 0 && g.row_bytes < reach / stage_rows &&
                 g.pixel_bytes < reach / g.stage_columns.value;
    if (detail::has_window(g)) {
        g.window_columns = g.filter_columns;
        g.window_stride = g.stride_width;
    }
    const index_t lane_rows = std::min<index_t>(g.pixels, (s.rows + 1) * g.columns);
    g.wide_chain = flat && detail::is_within_reach(p.chain, lane_rows, all * 8, result.columns);
    choice.blocks = s.blocks;
    return choice;
}

/// The first tile of the list that fits.
template<class Program, depthwise_tile... Tiles>
[[nodiscard]] depthwise_choice choose_depthwise(const Program& p, tile_list<Tiles...>,
                                                int compute_units) {
    constexpr depthwise_tile tiles[] = {Tiles...};
    depthwise_choice refused;
    for (int i = 0; i < static_cast<int>(sizeof...(Tiles)); ++i) {
        depthwise_choice candidate = fit_depthwise(p, tiles[i], compute_units);
        if (candidate.misfit == depthwise_misfit::none) {
            candidate.tile = i;
            return candidate;
        }
        refused.misfit = std::max(refused.misfit, candidate.misfit);
    }
    return refused;
}

} // namespace r9v::inline R9V_ABI
