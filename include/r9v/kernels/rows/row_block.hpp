// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What all row kernels share: which rows and columns belong to a wave and a lane, how runs of the
// source are loaded, and how taps and statistics of a row are committed.
#pragma once

#include <r9v/kernels/rows/arithmetic.hpp>
#include <r9v/kernels/rows/geometry.hpp>
#include <r9v/ops/sink.hpp>
#include <r9v/ops/statistic.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/finish.hpp>
#include <r9v/tile/row_reduce.hpp>

namespace r9v::inline R9V_ABI::kernels {

using wide_math = tile::device_math<std::uint32_t>;
using narrow_math = tile::device_math<index_t>;

/// Eight neighbouring columns as they were loaded: packed where they are neighbours in memory too.
/// They are converted later, so that many loads may be under way before the first is looked at.
template<class View>
struct raw_run {
    using element = typename View::value_type;
    static constexpr bool is_packed = View::element_layout == layout::row_major;
    static constexpr int size = static_cast<int>(sizeof(element));
    static constexpr int per_word = 4 / size;

    std::uint32_t words[is_packed ? 2 * size : 8];

    R9V_INLINE void load(const operand<span::matrix, View>& from, const coordinate& at) {
        const auto offset = static_cast<std::uint32_t>(from.lane_offset(wide_math{}, at) *
                                                       static_cast<std::uint32_t>(size));
        if constexpr (is_packed) {
            arch::load_words<8 * size, false>(arch::to_global(from.base(at)), offset, words);
        } else {
            R9V_UNROLL
            for (int i = 0; i < 8; ++i)
                words[i] = arch::load_global<size>(
                    arch::to_global(from.base(at) + i * from.column_stride()), offset);
        }
    }
    [[nodiscard]] R9V_INLINE run<float, 8> values() const {
        run<float, 8> all;
        R9V_UNROLL
        for (int i = 0; i < 8; ++i)
            all[i] = is_packed ? arch::element_to_float<element>(words[i / per_word], i % per_word)
                               : arch::element_to_float<element>(words[i], 0);
        return all;
    }
};

/// The part of a program's rows that one wave works on, and this lane's share of it.
class wave_rows {
public:
    R9V_INLINE wave_rows(const row_geometry& g, int block_waves)
        : sharing{g.lanes_shift, g.waves_shift},
          wave_in_row{static_cast<std::int32_t>(arch::wave_index()) & (sharing.waves() - 1)},
          columns{static_cast<std::int32_t>(g.columns)} {
        std::uint32_t block = arch::block_x();
        const auto parts = static_cast<std::uint32_t>(g.parts);
        part = static_cast<std::int32_t>(block % parts);
        block /= parts;
        const auto row_blocks = static_cast<std::uint32_t>(g.row_blocks);
        const std::uint32_t row_block = block % row_blocks;
        block /= row_blocks;
        const auto heads = static_cast<std::uint32_t>(g.heads);
        head = block % heads;
        batch = block / heads;

        const auto row_waves = static_cast<std::uint32_t>(block_waves >> sharing.waves_shift);
        const std::uint32_t group =
            row_block * row_waves + (arch::wave_index() >> sharing.waves_shift);
        row = index_t{group} * sharing.rows_a_wave();
        const index_t left = g.rows - row;
        alive =
            static_cast<std::int32_t>(left < sharing.rows_a_wave() ? left : sharing.rows_a_wave());
        const auto lane = static_cast<std::int32_t>(arch::lane_index());
        const std::int32_t own = lane >> sharing.lanes_shift;
        exists = own < alive;
        lane_row = exists ? own : 0;
        lane_column = (lane & (sharing.lanes() - 1)) * 8;
    }

    /// Columns that the wave takes at a time, side by side, and how far apart they start.
    [[nodiscard]] R9V_INLINE std::int32_t chunk() const { return 8 << sharing.lanes_shift; }
    [[nodiscard]] R9V_INLINE std::int32_t step() const { return chunk() << sharing.waves_shift; }

    [[nodiscard]] R9V_INLINE coordinate at(std::int32_t column, std::int32_t lane_offset) const {
        return {batch, row, column, lane_row, lane_offset, head};
    }
    [[nodiscard]] R9V_INLINE row_range range() const { return {batch, head, row, row + alive}; }
    /// Whether this lane speaks for its row.
    [[nodiscard]] R9V_INLINE bool speaks() const {
        return exists && lane_column == 0 && wave_in_row == 0;
    }

    tile::row_sharing sharing;
    std::int32_t wave_in_row;
    std::int32_t columns;
    std::int32_t part;
    index_t batch;
    index_t head;
    index_t row;        ///< the wave's first
    std::int32_t alive; ///< rows of the wave that exist; none where it is 0 or less
    bool exists;        ///< this lane's row does
    std::int32_t lane_row;
    std::int32_t lane_column;
};

/// Whether a chain is short enough to be compiled once for every run that a lane holds.
template<class Chain>
inline constexpr bool is_repeated = tile::detail::weight<Chain> <= 5;

/// What a block does with its rows besides passing over them.
template<class Program>
class row_block {
protected:
    using head_type = typename Program::head_type;
    using chain_type = typename Program::chain_type;
    using view_type = typename head_type::view_type;
    using prologue_type = typename head_type::prologue_type;
    using kind_type = typename head_type::kind_type;
    using arithmetic = row_arithmetic<kind_type>;
    using states_type = typename states_of<wide_math, chain_type>::type;
    /// Whether masks may keep whole columns from being loaded; taps in front of them see all.
    static constexpr bool has_hull = has_masks<prologue_type> && !prologue_type::has_tap;
    static constexpr bool one_result = std::is_same_v<kind_type, row_log_sum_exp>;

public:
    /// Bytes of LDS of a block.
    static constexpr int lds_bytes(int waves) { return tile::row_reduce_bytes<float[3]>(waves); }

    R9V_INLINE row_block(const Program& program, const row_geometry& geometry, int waves,
                         arch::local_bytes lds)
        : program_{program},
          geometry_{geometry},
          lds_{lds},
          rows_{geometry, waves},
          source_{program.head.x.view},
          hull_begin_{0},
          hull_end_{rows_.columns} {
        if constexpr (has_hull) {
            const column_range hull =
                r9v::columns_of(program.head.x.prologue, rows_.range(), geometry.columns);
            hull_begin_ = static_cast<std::int32_t>(hull.begin);
            hull_end_ = static_cast<std::int32_t>(hull.end);
        }
        reset_taps<tap_scope::row>(program.chain, states_);
        reset_taps<tap_scope::tensor>(program.chain, states_);
    }

    [[nodiscard]] R9V_INLINE bool has_rows() const { return rows_.alive > 0; }

protected:
    /// Whether something of these columns may be kept: what is not is not even loaded.
    [[nodiscard]] R9V_INLINE bool is_loaded(std::int32_t column) const {
        if constexpr (!has_hull) return true;
        return column < hull_end_ && column + rows_.chunk() > hull_begin_;
    }
    /// The same of two chunks and everything between them.
    [[nodiscard]] R9V_INLINE bool is_loaded(std::int32_t first, std::int32_t last) const {
        return is_loaded(first) && is_loaded(last); // what may be kept is one interval
    }
    /// The lane's columns from `column` on that exist.
    [[nodiscard]] R9V_INLINE std::int32_t left(std::int32_t column, std::int32_t end) const {
        return rows_.exists ? end - column - rows_.lane_column : 0;
    }
    /// Loads the lane's run of the chunk at `column`, if all of it exists.
    R9V_INLINE void load(raw_run<view_type>& to, std::int32_t column, std::int32_t end) const {
        if (left(column, end) >= 8) to.load(source_, rows_.at(column, rows_.lane_column));
    }
    template<class Math, int Width>
    [[nodiscard]] R9V_INLINE run<float, Width> treat(Math math, const run<float, Width>& x,
                                                     const coordinate& at) const {
        return arithmetic::entering(math, r9v::transform(math, program_.head.x.prologue, at, x));
    }
    /// The same without writing anything on the way.
    template<class Math, int Width>
    [[nodiscard]] R9V_INLINE run<float, Width> treat_again(Math math, run<float, Width> x,
                                                           const coordinate& at) const {
        const prologue_type& ops = program_.head.x.prologue;
        [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            (
                [&] {
                    using op = std::remove_cvref_t<decltype(get<Is>(ops.ops))>;
                    pack<> none;
                    if constexpr (op::role != role::tap)
                        r9v::detail::step<static_cast<int>(Is)>(math, ops, none, x, at);
                }(),
                ...);
        }(std::make_index_sequence<static_cast<std::size_t>(prologue_type::size)>{});
        return arithmetic::entering(math, x);
    }
    [[nodiscard]] R9V_INLINE float sink() const {
        if constexpr (prologue_type::has_sink) {
            const float logit =
                sink_of(program_.head.x.prologue).logit(narrow_math{}, rows_.at(0, 0));
            return narrow_math::max(logit, not_kept);
        } else {
            return not_kept;
        }
    }
    /// The chain over one run of the row's results.
    template<class Math, class Totals, int Width>
    R9V_INLINE void finish(Math math, const Totals& totals, const run<float, Width>& x,
                           const coordinate& at) {
        evaluate(math, program_.chain, states_, at,
                 arithmetic::apply(math, program_.head.kind, totals, x));
    }

    /// The chain's results of a run, for top_k(); taps see them where `states` are the row's own.
    template<class Math, class Totals, int Width>
    [[nodiscard]] R9V_INLINE run<float, Width> results(Math math, const Totals& totals,
                                                       const run<float, Width>& x,
                                                       const coordinate& at, states_type& states) {
        auto y = arithmetic::apply(math, program_.head.kind, totals, x);
        r9v::detail::steps(math, program_.chain, states, y, at,
                           r9v::detail::interval<0, chain_type::size>{});
        return y;
    }

    /// The head's one result a row, if it has no more; row statistics; taps.
    template<class Totals>
    R9V_INLINE void commit(const Totals& totals, bool whole_block) {
        const kind_type& kind = program_.head.kind;
        const coordinate at = rows_.at(0, 0);
        const bool speaks = rows_.speaks() && whole_block;
        if (speaks) {
            if constexpr (one_result) {
                const float value = arithmetic::statistic(kind, totals, row_statistic::log_sum_exp);
                evaluate(narrow_math{}, program_.chain, states_, at, run<float, 1>{{value}});
            }
            commit_statistics(narrow_math{}, program_.chain, at, [&](row_statistic s) {
                return arithmetic::statistic(kind, totals, s);
            });
        }
        commit_taps(at);
    }

    const Program& program_;
    const row_geometry& geometry_;
    arch::local_bytes lds_;
    wave_rows rows_;
    operand<span::matrix, view_type> source_;
    std::int32_t hull_begin_;
    std::int32_t hull_end_;
    states_type states_;

private:
    struct one_float {
        float value;
    };

    R9V_INLINE void commit_taps(const coordinate& at) {
        if constexpr (chain_type::has_state) {
            for_each_tap<tap_scope::row>(
                program_.chain, states_, [&](const auto& op, auto& state, int) {
                    const auto merge = [&](const one_float& a, const one_float& b) {
                        return one_float{op.merge(narrow_math{}, a.value, b.value)};
                    };
                    const float all =
                        tile::over_row(one_float{state}, rows_.sharing, lds_, merge).value;
                    if (rows_.speaks()) op.commit(narrow_math{}, all, at);
                });
            for_each_tap<tap_scope::tensor>(
                program_.chain, states_, [&](const auto& op, auto& state, int) {
                    const auto merge = [&](const one_float& a, const one_float& b) {
                        return one_float{op.merge(narrow_math{}, a.value, b.value)};
                    };
                    const float all =
                        tile::over_lanes(one_float{state}, tile::row_sharing{5, 0}, merge).value;
                    if (arch::lane_index() == 0) op.commit(narrow_math{}, all, at);
                });
        }
    }
};

} // namespace r9v::inline R9V_ABI::kernels
