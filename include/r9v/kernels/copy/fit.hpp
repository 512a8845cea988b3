// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which way of copying a program's tensors allow. Host code.
#pragma once

#include <r9v/kernels/copy/geometry.hpp>
#include <r9v/kernels/copy/problem.hpp>
#include <r9v/kernels/counting.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/ops/position.hpp>

namespace r9v::inline R9V_ABI {

struct copy_fit {
    enum class misfit { none, layout, grid };
    misfit reason = misfit::none;
    copy_geometry geometry;
    index_t blocks = 0;
};

namespace detail {

/// Whether every operand has all elements of the result (one that repeats for heads or batches has
/// not), and they follow on one another, in the same order.
struct dense_check {
    extents size;
    bool dense = true;

    template<span Span, class View>
    void operator()(const char*, const operand<Span, View>& o, access) {
        if constexpr (Span == span::matrix && View::element_layout == layout::row_major) {
            constexpr int last = View::rank - 1;
            index_t wanted = o.view.extents[last];
            for (int axis = last - 1; axis >= 0; --axis) {
                const index_t count = o.view.extents[axis];
                dense = dense && (count <= 1 || o.view.strides[axis] == wanted);
                wanted *= count;
            }
            dense = dense && wanted == size.batches * size.heads * size.rows * size.columns;
        } else if constexpr (Span != span::scalar) {
            dense = false;
        }
    }
    template<class Operand>
        requires Operand::doubles_pixels
    void operator()(const char*, const Operand&, access) {
        dense = false;
    }
};

template<class Program>
bool is_dense(const Program& p) {
    using head = typename Program::head_type;
    if constexpr (chain_sees_position<typename Program::chain_type> ||
                  chain_sees_position<typename head::prologue_type> ||
                  Program::chain_type::has_state) {
        return false;
    } else {
        dense_check check{p.head.result()};
        check("x", operand<span::matrix, typename head::view_type>{p.head.x.view}, access::read);
        visit_operands(p.head.x.prologue, check);
        visit_operands(p.chain, check);
        return check.dense;
    }
}

/// Whether the rows of a side are neighbours in memory; those of all heads too, where `merged`.
template<class View>
bool has_row_runs(const View& v, const extents& size, bool merged) {
    constexpr int rank = View::rank;
    const index_t step = v.strides[rank - 2];
    if (step != 1 && size.rows > 1) return false;
    if (!merged || size.heads == 1) return true;
    if constexpr (rank == 4) {
        return v.strides[1] == size.rows;
    } else {
        return false;
    }
}

/// Whether 8 rows at a time can be turned: on each side columns are neighbours, or rows are.
template<class Program>
bool allows_turning(const Program& p, bool merged) {
    using head = typename Program::head_type;
    const extents size = p.head.result();
    bool allowed = true;
    if constexpr (loads_turned<head>) allowed = has_row_runs(p.head.x.view, size, merged);
    if constexpr (stores_turned<typename Program::chain_type>()) {
        constexpr auto last = static_cast<std::size_t>(Program::chain_type::size - 1);
        allowed = allowed && has_row_runs(get<last>(p.chain.ops).to.view, size, merged);
    }
    return allowed;
}

template<class Program>
[[nodiscard]] copy_fit fit_runs(const Program& p, const copy_tile& t) {
    const extents size = p.head.result();
    copy_fit fit;
    copy_geometry& g = fit.geometry;
    g.columns = size.columns;
    g.rows = counted(counted(size.batches, size.heads), size.rows);
    g.of_head = count_divisor(size.rows);
    g.of_batch = count_divisor(size.heads);
    g.flat = is_dense(p) ? 1 : 0;
    if (g.flat != 0) {
        g.columns = size.columns * size.rows * size.heads * size.batches;
        g.rows = g.columns == 0 ? 0 : 1;
    }
    const index_t chunks = ceil_div<index_t>(g.columns, copy_run);
    g.chunks = count_divisor(chunks);
    const index_t lanes = counted(g.rows, Program::chain_type::has_state ? 32 : chunks);
    if (lanes > most_counted || chunks > most_counted) fit.reason = copy_fit::misfit::grid;
    fit.blocks = ceil_div<index_t>(lanes, t.threads);
    return fit;
}

template<class Program>
[[nodiscard]] copy_fit fit_turned(const Program& p, const copy_tile& t) {
    const extents size = p.head.result();
    const bool merged = allows_turning(p, true);
    copy_fit fit;
    if (!merged && !allows_turning(p, false)) {
        fit.reason = copy_fit::misfit::layout;
        return fit;
    }
    copy_geometry& g = fit.geometry;
    g.heads_merged = merged ? 1 : 0;
    g.columns = size.columns;
    g.rows = merged ? counted(size.heads, size.rows) : size.rows;
    g.of_head = count_divisor(size.rows);
    g.of_batch = count_divisor(merged ? 1 : size.heads);
    if (g.rows < copy_run) fit.reason = copy_fit::misfit::layout; // nothing to turn
    // Four lanes side by side are 64 bytes of a row; where there are fewer columns, fewer.
    const index_t chunks = ceil_div<index_t>(size.columns, copy_run);
    g.column_lanes_shift = chunks >= 4 ? 2 : chunks >= 2 ? 1 : 0;
    const index_t row_lanes = t.threads >> g.column_lanes_shift;
    const index_t row_tiles = ceil_div<index_t>(g.rows, row_lanes * copy_run);
    const index_t column_tiles = ceil_div<index_t>(chunks, index_t{1} << g.column_lanes_shift);
    g.row_tiles = count_divisor(row_tiles);
    g.column_tiles = count_divisor(column_tiles);
    const index_t matrices = counted(size.batches, merged ? 1 : size.heads);
    fit.blocks = counted(counted(matrices, row_tiles), column_tiles);
    if (fit.blocks > most_blocks || g.rows > most_counted - row_lanes * copy_run ||
        size.columns > most_counted / 2)
        fit.reason = copy_fit::misfit::grid;
    return fit;
}

} // namespace detail

/// The geometry of a copy with a tile.
template<class Program>
[[nodiscard]] copy_fit fit_copy(const Program& p, const copy_tile& t) {
    return t.regime == copy_regime::turned ? detail::fit_turned(p, t) : detail::fit_runs(p, t);
}

} // namespace r9v::inline R9V_ABI
