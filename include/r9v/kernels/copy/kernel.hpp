// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels of copies. They are bound by memory: every element is loaded and stored once.
#pragma once

#include <r9v/kernels/copy/geometry.hpp>
#include <r9v/kernels/copy/problem.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/wave_taps.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

using copy_math = tile::device_math<index_t>;

/// `Width` neighbouring columns from x through prologue and chain.
template<int Width, class Program, class States>
R9V_INLINE void copy_columns(const Program& program, const coordinate& at, States& states) {
    const auto& head = program.head;
    using view = typename Program::head_type::view_type;
    const operand<span::matrix, view> x{head.x.view};
    const auto loaded = x.template load<Width>(copy_math{}, at);
    evaluate(copy_math{}, program.chain, states, at,
             r9v::transform(copy_math{}, head.x.prologue, at, loaded));
}

/// A run, or what is left of one.
template<class Program, class States>
R9V_INLINE void copy_chunk(const Program& program, index_t columns, coordinate at, States& states) {
    const index_t left = columns - at.column_base;
    if (left >= copy_run) {
        copy_columns<copy_run>(program, at, states);
        return;
    }
    R9V_ROLLED
    for (index_t e = 0; e < left; ++e) {
        copy_columns<1>(program, at, states);
        ++at.column_base;
    }
}

[[nodiscard]] R9V_INLINE coordinate copied_row(const copy_geometry& g, std::uint32_t row) {
    const std::uint32_t head = g.of_head.quotient(row);
    const std::uint32_t batch = g.of_batch.quotient(head);
    return {.batch_base = batch,
            .row_base = row - head * g.of_head.value,
            .head_base = head - batch * g.of_batch.value};
}

/// A lane for each run; or a wave for each row, where statistics want its columns together.
template<class Program>
R9V_INLINE void copy_runs(const Program& program, const copy_geometry& g, int threads) {
    using chain = typename Program::chain_type;
    typename states_of<copy_math, chain>::type states;
    const std::uint32_t index =
        arch::block_x() * static_cast<std::uint32_t>(threads) + arch::thread_index();
    if constexpr (chain::has_state) {
        const std::uint32_t row = arch::uniform(index / arch::wave_size);
        if (row >= static_cast<std::uint32_t>(g.rows)) return;
        const coordinate first = copied_row(g, row);
        reset_taps<tap_scope::row>(program.chain, states);
        reset_taps<tap_scope::tensor>(program.chain, states);
        R9V_ROLLED
        for (std::uint32_t chunk = arch::lane_index(); chunk < g.chunks.value;
             chunk += arch::wave_size) {
            coordinate at = first;
            at.column_base = index_t{chunk} * copy_run;
            copy_chunk(program, g.columns, at, states);
        }
        tile::commit_over_wave(copy_math{}, program.chain, states, first);
    } else {
        const std::uint32_t row = g.flat != 0 ? 0 : g.chunks.quotient(index);
        if (row >= static_cast<std::uint32_t>(g.rows)) return;
        coordinate at = copied_row(g, row);
        at.column_base = index_t{index - row * g.chunks.value} * copy_run;
        copy_chunk(program, g.columns, at, states);
    }
}

/// Eight rows of eight columns in a lane's registers.
template<class Program>
class turned_copy {
    using head_type = typename Program::head_type;
    using chain_type = typename Program::chain_type;
    using x_view = typename head_type::view_type;
    using element = typename head_type::element;
    static constexpr bool turns_x = r9v::detail::loads_turned<head_type>;
    static constexpr bool turns_y = r9v::detail::stores_turned<chain_type>();
    using runs = run<float, copy_run>[copy_run]; ///< by rows

public:
    R9V_INLINE turned_copy(const Program& program, const copy_geometry& g, int threads)
        : program_{program},
          g_{g},
          x_{program.head.x.view} {
        const std::uint32_t block = arch::block_x();
        const std::uint32_t of_column = g.column_tiles.quotient(block);
        const std::uint32_t matrix = g.row_tiles.quotient(of_column);
        const std::uint32_t row_tile = of_column - matrix * g.row_tiles.value;
        const std::uint32_t column_tile = block - of_column * g.column_tiles.value;
        batch_ = g.of_batch.quotient(matrix);
        head_ = matrix - batch_ * g.of_batch.value;

        // Within a wave, lanes along the rows are neighbours first.
        const auto shift = static_cast<std::uint32_t>(g.column_lanes_shift);
        const std::uint32_t row_lanes = arch::wave_size >> shift;
        const std::uint32_t lane = arch::lane_index();
        const std::uint32_t row_lane = arch::wave_index() * row_lanes + lane % row_lanes;
        const auto rows_a_tile = static_cast<std::uint32_t>(threads) >> shift;
        row_ = (row_tile * rows_a_tile + row_lane) * copy_run;
        column_ = ((column_tile << shift) + lane / row_lanes) * copy_run;
    }

    R9V_INLINE void copy() {
        const index_t rows = g_.rows - row_;
        const index_t columns = g_.columns - column_;
        if (rows <= 0 || columns <= 0) return;
        if (rows >= copy_run && columns >= copy_run) {
            runs values;
            load(values);
            finish(values);
            return;
        }
        R9V_ROLLED
        for (int i = 0; i < copy_run; ++i)
            if (i < rows) copy_chunk_singly(row_at(i), columns);
    }

private:
    /// Where the lane's row `i` stands: rows of all heads are counted through where they are
    /// merged.
    [[nodiscard]] R9V_INLINE coordinate row_at(int i) const {
        const std::uint32_t row = row_ + static_cast<std::uint32_t>(i);
        const std::uint32_t over = g_.heads_merged != 0 ? g_.of_head.quotient(row) : 0;
        return {.batch_base = batch_,
                .row_base = row - over * g_.of_head.value,
                .column_base = column_,
                .head_base = head_ + over};
    }

    R9V_INLINE void copy_chunk_singly(coordinate at, index_t columns) const {
        typename states_of<copy_math, chain_type>::type states; // of no taps
        R9V_ROLLED
        for (int e = 0; e < copy_run; ++e)
            if (e < columns) {
                copy_columns<1>(program_, at, states);
                ++at.column_base;
            }
    }

    R9V_INLINE void load(runs& values) const {
        if constexpr (turns_x) {
            const auto* first = x_.base(row_at(0));
            R9V_UNROLL
            for (int e = 0; e < copy_run; ++e) {
                const auto column = copy_math::load<copy_run>(first + e * x_.column_stride(), 0);
                R9V_UNROLL
                for (int i = 0; i < copy_run; ++i)
                    values[i][e] = column[i];
            }
        } else {
            R9V_UNROLL
            for (int i = 0; i < copy_run; ++i)
                values[i] = x_.template load<copy_run>(copy_math{}, row_at(i));
        }
    }

    R9V_INLINE void finish(runs& values) const {
        typename states_of<copy_math, chain_type>::type states;
        R9V_UNROLL
        for (int i = 0; i < copy_run; ++i) {
            const coordinate at = row_at(i);
            values[i] = r9v::transform(copy_math{}, program_.head.x.prologue, at, values[i]);
            constexpr int kept = chain_type::size - (turns_y ? 1 : 0);
            r9v::detail::steps(copy_math{}, program_.chain, states, values[i], at,
                               r9v::detail::interval<0, kept>{});
        }
        if constexpr (turns_y) store(values);
    }

    /// In place of the chain's store, which would write single elements.
    R9V_INLINE void store(const runs& values) const {
        constexpr auto last = static_cast<std::size_t>(chain_type::size - 1);
        const auto& to = get<last>(program_.chain.ops).to;
        auto* first = to.base(row_at(0));
        R9V_UNROLL
        for (int e = 0; e < copy_run; ++e) {
            run<float, copy_run> column;
            R9V_UNROLL
            for (int i = 0; i < copy_run; ++i)
                column[i] = values[i][e];
            copy_math::store<copy_run>(first + e * to.column_stride(), 0, column);
        }
    }

    const Program& program_;
    const copy_geometry& g_;
    operand<span::matrix, x_view> x_;
    std::uint32_t batch_;
    std::uint32_t head_;
    std::uint32_t row_;
    std::uint32_t column_;
};

} // namespace kernels

/// `Target` is the architecture that has a body; for any other, the kernel is empty.
template<class Target, copy_tile Tile, class Program>
R9V_KERNEL(Tile.threads)
void copy_kernel([[maybe_unused]] Program program, [[maybe_unused]] copy_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        if constexpr (Tile.regime == copy_regime::turned) {
            kernels::turned_copy<Program>{program, geometry, Tile.threads}.copy();
        } else {
            kernels::copy_runs(program, geometry, Tile.threads);
        }
    }
}

} // namespace r9v::inline R9V_ABI
