// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What every GEMM kernel does with its place in the grid: operands as panels, results to the chain.
#pragma once

#include <r9v/kernels/gemm/geometry.hpp>
#include <r9v/kernels/gemm/prologue.hpp>
#include <r9v/kernels/gemm/tuning.hpp>
#include <r9v/kernels/merge_taps.hpp>
#include <r9v/tile/finish.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// The part of the result that a block computes.
struct block_place {
    index_t batch;
    index_t row;
    index_t column;
    int rows;
    int columns;
    int part; ///< which of the result's columns of tiles

    R9V_INLINE explicit block_place(const gemm_geometry& g) {
        const tile::tile_position at = g.tiles.at(arch::block_x());
        batch = at.batch;
        row = static_cast<index_t>(at.row) * g.step_m;
        column = static_cast<index_t>(at.column) * g.step_n;
        rows = count(g.m - row, g.step_m);
        columns = count(g.n - column, g.step_n);
        part = static_cast<int>(at.column);
    }

private:
    R9V_INLINE static int count(index_t left, int step) {
        return left < step ? static_cast<int>(left) : step;
    }
};

/// `rows` rows of a matrix [rows, k] from `row` on. The last two axes of the view are rows and k.
template<class View>
R9V_INLINE tile::panel panel_of(const View& view, index_t batch, index_t row, int rows) {
    constexpr index_t bytes = sizeof(typename View::value_type);
    constexpr int row_axis = View::rank - 2;
    const index_t row_stride =
        View::element_layout == layout::column_major ? bytes : view.strides[row_axis] * bytes;
    const index_t k_stride =
        View::element_layout == layout::row_major ? bytes : view.strides[row_axis + 1] * bytes;
    arch::global_bytes base = arch::to_global(view.data) + row * row_stride;
    if constexpr (View::rank == 3) base += batch * view.strides[0] * bytes;
    return {base, row_stride, k_stride, rows};
}

template<class View>
inline constexpr tile::order order_of =
    View::element_layout == layout::row_major ? tile::order::k_contiguous
                                              : tile::order::row_contiguous;

/// The prologue of a program's x for the rows of a block, or nothing.
template<class Math, class Program>
R9V_INLINE auto prologue_of(const Program& program, const block_place& place) {
    using element = typename Program::head_type::element;
    using chain_type = std::remove_cvref_t<decltype(program.head.x.prologue)>;
    if constexpr (chain_type::size == 0) {
        return tile::untreated{};
    } else {
        return prologue<element, chain_type, Math>{program.head.x.prologue, place.batch, place.row,
                                                   place.rows};
    }
}

} // namespace r9v::inline R9V_ABI::kernels
