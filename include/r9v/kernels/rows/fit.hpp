// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How a tile is laid over a program's shape, and which tile is the fastest. Host code.
#pragma once

#include <r9v/kernels/rows/geometry.hpp>
#include <r9v/kernels/rows/rules.hpp>
#include <r9v/kernels/rows/tuning.hpp>
#include <r9v/ops/operand.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace r9v::inline R9V_ABI {

namespace detail {

constexpr int log2_of(index_t power) {
    return std::countr_zero(static_cast<std::uint64_t>(power));
}
constexpr index_t power_not_below(index_t n) {
    return n <= 1 ? 1 : static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// Whether 32-bit offsets of a lane reach `rows` rows and `columns` columns of every operand.
struct row_reach {
    index_t rows;
    index_t columns;
    index_t all_columns;
    bool fits = true;

    template<span Span, class View>
    void operator()(const char*, const operand<Span, View>& o, access) {
        constexpr index_t bytes = sizeof(typename View::value_type);
        if constexpr (Span == span::row || Span == span::group || Span == span::matrix)
            step(o.row_stride(), rows, bytes);
        if constexpr (Span == span::column || Span == span::matrix)
            step(o.column_stride(), columns, bytes);
        if constexpr (Span == span::group) step(o.column_stride(), all_columns, bytes);
    }

private:
    // Each of the two axes gets half of the reach; unsigned offsets do not go backwards.
    void step(index_t stride, index_t steps, index_t bytes) {
        constexpr index_t half_of_offsets = index_t{1} << 31;
        if (steps > 1) fits = fits && stride >= 0 && stride <= half_of_offsets / bytes / steps;
    }
};

/// The strides of the source along rows and columns.
template<class View>
constexpr index_t row_stride_of(const View& v) {
    return v.strides[View::rank - 2];
}
template<class View>
constexpr index_t column_stride_of(const View& v) {
    return v.strides[View::rank - 1];
}

} // namespace detail

/// How a tile is laid over a program's shape, or why it cannot be.
struct row_fit {
    enum class misfit { none, registers, again, length, grid };
    misfit reason = misfit::none;
    row_geometry geometry;
    index_t blocks = 0;
    index_t states = 0; ///< partial states of rows that several blocks share
};

namespace detail {

/// Lanes whose neighbours read neighbouring memory: along the row, or across rows where those are
/// the neighbours (a transposed view), as far as there are rows; `fewest` at the least.
template<class View>
index_t lanes_a_row(const row_tile& t, const View& v, const extents& size, index_t fewest) {
    if (t.lanes != 0) return t.lanes;
    const bool across = size.rows > 1 && row_stride_of(v) < column_stride_of(v);
    const index_t wanted = across ? 32 / std::min<index_t>(32, power_not_below(size.rows))
                                  : power_not_below(ceil_div<index_t>(size.columns, 8));
    return std::clamp<index_t>(wanted, fewest, 32);
}

/// Waves that share a row: all where it does not fit fewer, or where there are too few rows for
/// every wave to have its own.
inline index_t waves_a_row(const row_tile& t, index_t lanes, const extents& size, int units) {
    if (t.waves_a_row != 0) return t.waves_a_row;
    const index_t a_wave = lanes * 8 * (t.regime == row_regime::registers ? t.runs : 1);
    const index_t needed = power_not_below(ceil_div<index_t>(size.columns, a_wave));
    const index_t row_waves = ceil_div<index_t>(size.rows, 32 / lanes) * size.batches * size.heads;
    if (t.regime != row_regime::registers) return std::min<index_t>(t.waves, needed);
    index_t waves = std::min<index_t>(t.waves, needed);
    // Two waves for each SIMD, as far as every lane still has a run.
    const index_t useful = power_not_below(ceil_div<index_t>(size.columns, lanes * 8));
    while (waves < t.waves && waves < useful && row_waves * waves < index_t{units} * 8)
        waves *= 2;
    return waves;
}

} // namespace detail

/// The geometry of a program with a tile on a device of `units` compute units.
template<class Program>
[[nodiscard]] row_fit fit_rows(const Program& p, const row_tile& t, int units) {
    const auto& v = p.head.x.view;
    const extents size = p.head.source_extents();
    row_fit fit;
    row_geometry& g = fit.geometry;
    g.rows = size.rows;
    g.columns = size.columns;
    g.heads = size.heads;

    const index_t lanes = detail::lanes_a_row(t, v, size, Program::chain_type::has_row_op ? 8 : 1);
    const index_t waves = detail::waves_a_row(t, lanes, size, units);
    g.lanes_shift = detail::log2_of(lanes);
    g.waves_shift = detail::log2_of(waves);
    const index_t chunk = lanes * 8 * waves;
    if (t.regime == row_regime::registers && size.columns > chunk * t.runs)
        fit.reason = row_fit::misfit::registers;
    if (t.regime != row_regime::registers && !detail::may_load_again(p.head))
        fit.reason = row_fit::misfit::again;
    if (size.columns > std::numeric_limits<std::int32_t>::max() / 2)
        fit.reason = row_fit::misfit::length;

    detail::row_reach reach{32 / lanes, lanes * 8, size.columns};
    reach("x", operand<span::matrix, std::remove_cvref_t<decltype(v)>>{v}, access::read);
    visit_operands(p.head.x.prologue, reach);
    visit_operands(p.chain, reach);
    g.wide = reach.fits;

    const index_t rows_a_block = 32 / lanes * (t.waves / waves);
    const index_t row_blocks = ceil_div(size.rows, rows_a_block);
    const index_t groups = row_blocks * size.batches * size.heads;
    if (t.regime == row_regime::split && groups > 0) {
        // One block for each compute unit, as far as every lane has a run: each of them reads the
        // states of all parts.
        const index_t most_parts = ceil_div(std::max<index_t>(size.columns, 1), chunk);
        const index_t parts = std::clamp<index_t>(ceil_div<index_t>(units, groups), 1, most_parts);
        g.part_columns = std::max(chunk, align_up(ceil_div(size.columns, parts), chunk));
        g.parts =
            static_cast<std::int32_t>(std::max<index_t>(1, ceil_div(size.columns, g.part_columns)));
    } else {
        g.parts = 1;
        g.part_columns = size.columns;
    }
    // A launch counts threads in 32 bits.
    const index_t most = index_t{std::numeric_limits<std::uint32_t>::max()} / t.threads();
    const bool fits = row_blocks <= most &&
                      size.batches <= most / std::max<index_t>(row_blocks, 1) &&
                      size.heads <= most / std::max<index_t>(row_blocks * size.batches, 1) &&
                      g.parts <= most / std::max<index_t>(groups, 1);
    if (!fits) {
        fit.reason = row_fit::misfit::grid;
        return fit;
    }
    g.row_blocks = static_cast<std::int32_t>(row_blocks);
    fit.blocks = groups * g.parts;
    if (g.parts > 1) fit.states = size.rows * size.batches * size.heads * g.parts;
    return fit;
}

/// A program's tile: its place in the list (-1: none fits), and how it lies over the shape.
struct row_choice {
    int tile = -1;
    row_fit fit;
};

namespace detail {

/// The lower, the faster. Two kernels are worth their start where one would leave most of the
/// device idle for long.
constexpr int cost_of(const row_tile& t, const row_fit& fit, int units) {
    constexpr index_t long_row = 32768;
    const index_t groups = fit.blocks / fit.geometry.parts;
    const bool few_and_long = groups < units && fit.geometry.columns > long_row;
    if (t.regime == row_regime::registers) return 0;
    return (t.regime == row_regime::split) == few_and_long ? 1 : 2;
}

} // namespace detail

/// The tile of the list that is the fastest on a device of `units` compute units.
template<class Program>
[[nodiscard]] row_choice choose_rows(const Program& p, const row_tile* tiles, int count,
                                     int units) {
    row_choice best;
    int least = 0;
    for (int i = 0; i < count; ++i) {
        const row_fit fit = fit_rows(p, tiles[i], units);
        if (fit.reason != row_fit::misfit::none) {
            if (best.tile < 0) best.fit.reason = std::max(best.fit.reason, fit.reason);
            continue;
        }
        const int cost = detail::cost_of(tiles[i], fit, units);
        if (best.tile >= 0 && cost >= least) continue;
        least = cost;
        best = {i, fit};
    }
    return best;
}

} // namespace r9v::inline R9V_ABI
