// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tiles a program's tensors allow, and which of those is the fastest for its shape. Host
// code.
#pragma once

#include <r9v/kernels/gemm/tuning.hpp>
#include <r9v/kernels/reach.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace r9v::inline R9V_ABI {

namespace detail {

/// How many of `rows` rows of a panel are within a lane's reach: all, or a power of two, so that
/// runs of columns still start at multiples of their length.
template<class View>
constexpr int rows_within_reach(const View& v, int rows) {
    constexpr index_t bytes = sizeof(typename View::value_type);
    if (View::element_layout == layout::column_major) return rows; // 2 bytes apart
    const index_t stride = v.strides[View::rank - 2];
    while (rows > 1 &&
           !within_reach(stride, std::min<index_t>(rows, extent_from_last(v, 1)) - 1, bytes))
        rows = static_cast<int>(std::bit_floor(static_cast<unsigned>(rows - 1)));
    return rows;
}

/// 16-byte transposing loads of an operand whose rows are contiguous (column_major).
template<class View>
bool allows_transposing_loads(const View& v) {
    if constexpr (View::element_layout != layout::column_major) {
        return true;
    } else {
        const index_t k_stride = v.strides[View::rank - 1];
        const bool one_k = extent_from_last(v, 0) == 1;
        bool aligned =
            reinterpret_cast<std::uint64_t>(v.data) % 16 == 0 && extent_from_last(v, 1) % 8 == 0;
        if constexpr (View::rank == 3) aligned = aligned && v.strides[0] % 8 == 0;
        return aligned &&
               (one_k || (k_stride > 0 && k_stride % 8 == 0 &&
                          within_reach(k_stride, 64, sizeof(typename View::value_type))));
    }
}

/// Estimated cycles of a tiled kernel. A compute unit has two SIMDs, on which a matrix instruction
/// takes 16 cycles, and works on as many blocks at a time as LDS holds; a slab cannot take less
/// than the latency of the loads for the next one. Small tiles load more for each product.
constexpr double estimated_cycles(const gemm_tile& t, int results, const gemm_geometry& g,
                                  index_t blocks, int compute_units) {
    constexpr index_t lds = 65536;
    constexpr double load_latency = 900;
    constexpr double start_and_finish = 3000;
    const index_t stages = index_t{2} * (t.m + results * t.n) * t.k * 2;
    const index_t share = ceil_div<index_t>(blocks, compute_units);
    const index_t together = std::min(share, lds / stages);
    const double penalty = t.regime == gemm_regime::large ? 1.0 : 1.3;
    const double slab = t.m * t.n * results / 16.0 * penalty;
    const double slabs = static_cast<double>(ceil_div<index_t>(g.k, t.k));
    return static_cast<double>(ceil_div(share, together)) *
           (slabs * std::max(static_cast<double>(together) * slab, load_latency) +
            start_and_finish);
}

} // namespace detail

/// Why a program cannot run with a tile; the later, the harder to help.
enum class gemm_misfit {
    none,
    rows,      ///< the skinny regime computes up to 16 rows
    alignment, ///< transposed x or [k, n] weights that are not 16-byte aligned throughout
    reach,     ///< strides beyond 32 bits within a tile
    grid,      ///< more blocks than a launch may have
};

/// A program's tile: its place in the list (-1: none fits; the hardest reason).
struct gemm_choice {
    int tile = -1;
    gemm_misfit misfit = gemm_misfit::none;
    gemm_geometry geometry;
    index_t blocks = 0;
};

/// The geometry of a program with a tile, and whether it may run with it.
template<class Program>
[[nodiscard]] gemm_choice fit(const Program& p, const gemm_tile& t) {
    const auto& x = p.head.x.view;
    const auto& w1 = p.head.first_weights();
    const auto& w2 = p.head.second_weights();
    const extents result = p.head.result();

    gemm_choice choice;
    gemm_geometry& g = choice.geometry;
    g.m = result.rows;
    g.n = result.columns;
    g.k = p.head.inner();
    g.batches = result.batches;
    g.step_m = detail::rows_within_reach(x, t.m);
    g.step_n = std::min(detail::rows_within_reach(w1, t.n), detail::rows_within_reach(w2, t.n));
    g.transposing_loads = detail::allows_transposing_loads(x) &&
                          detail::allows_transposing_loads(w1) &&
                          detail::allows_transposing_loads(w2);
    g.wide_chain = detail::is_within_reach(p.chain, 16, 16, g.n);

    const index_t tiles_m = ceil_div<index_t>(g.m, g.step_m);
    const index_t tiles_n = ceil_div<index_t>(g.n, g.step_n);
    // A launch counts threads in 32 bits; the kernel divides block numbers below 2^31.
    const index_t most =
        std::min<index_t>(index_t{std::numeric_limits<std::uint32_t>::max()} / t.threads(),
                          std::numeric_limits<std::int32_t>::max());
    const bool grid_fits = tiles_m <= most && tiles_n <= most / std::max<index_t>(tiles_m, 1) &&
                           g.batches <= most / std::max<index_t>(tiles_m * tiles_n, 1);
    const bool medium = t.regime == gemm_regime::medium;
    if (t.regime == gemm_regime::skinny && g.m > 16)
        choice.misfit = gemm_misfit::rows;
    else if (!medium && g.transposing_loads == 0)
        choice.misfit = gemm_misfit::alignment;
    else if (!medium && (g.step_m != t.m || g.step_n != t.n ||
                         !detail::is_within_reach(p.head.x.prologue, t.m, 64, g.k)))
        choice.misfit = gemm_misfit::reach;
    else if (!grid_fits)
        choice.misfit = gemm_misfit::grid;
    if (choice.misfit != gemm_misfit::none || tiles_m == 0 || tiles_n == 0 || g.batches == 0)
        return choice;

    g.tiles = tile::raster::of(tiles_m, tiles_n);
    g.parts = static_cast<std::int32_t>(tiles_n) * t.waves_n;
    choice.blocks = tiles_m * tiles_n * g.batches;
    return choice;
}

/// The tile of the list that is estimated to be the fastest on a device of `compute_units`.
template<class Program, gemm_tile... Tiles>
[[nodiscard]] gemm_choice choose(const Program& p, tile_list<Tiles...>, int compute_units) {
    constexpr gemm_tile tiles[] = {Tiles...};
    gemm_choice best;
    double least = 0;
    for (int i = 0; i < static_cast<int>(sizeof...(Tiles)); ++i) {
        gemm_choice choice = fit(p, tiles[i]);
        if (choice.misfit != gemm_misfit::none) {
            if (best.tile < 0) best.misfit = std::max(best.misfit, choice.misfit);
            continue;
        }
        const double cycles =
            tiles[i].regime == gemm_regime::skinny // wherever it fits
                ? 0
                : detail::estimated_cycles(tiles[i], Program::head_type::results, choice.geometry,
                                           std::max<index_t>(choice.blocks, 1), compute_units);
        if (best.tile >= 0 && cycles >= least) continue;
        least = cycles;
        best = choice;
        best.tile = i;
        best.misfit = gemm_misfit::none;
    }
    return best;
}

} // namespace r9v::inline R9V_ABI
