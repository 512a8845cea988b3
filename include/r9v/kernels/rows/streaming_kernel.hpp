// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rows of any length: one pass gathers the state of a row, a second one loads it again and
// finishes. Several blocks may share a row; each gathers the state of its part in a kernel of its
// own, and merges those of all parts before the second pass.
#pragma once

#include <r9v/kernels/rows/choice.hpp>
#include <r9v/kernels/rows/row_block.hpp>
#include <r9v/kernels/rows/tuning.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<row_tile Tile, class Program>
class streaming_rows : public row_block<Program> {
    using base = row_block<Program>;
    using base::geometry_;
    using base::is_loaded;
    using base::left;
    using base::program_;
    using base::rows_;
    using typename base::arithmetic;
    using typename base::view_type;
    using state = typename arithmetic::state;
    static constexpr int runs = Tile.runs;

public:
    /// What a part leaves in scratch memory.
    static constexpr int part_floats = row_part_floats<typename base::kind_type>;

    R9V_INLINE streaming_rows(const Program& program, const row_geometry& geometry, int waves,
                              arch::local_bytes lds)
        : base{program, geometry, waves, lds} {
        const auto part = static_cast<std::int32_t>(geometry.part_columns);
        begin_ = rows_.part * part;
        end_ = begin_ + part < rows_.columns ? begin_ + part : rows_.columns;
    }

    /// `is_recalled`: the states of all parts are in scratch memory already. So is the shift, whose
    /// value results may have overwritten since.
    R9V_INLINE void begin(bool is_recalled) {
        if constexpr (arithmetic::is_shifted)
            shift_ = is_recalled ? *(place_of(0) + floats::count) : single<true>(rows_.at(0, 0))[0];
    }

    /// The state of the block's part of the row.
    R9V_INLINE state gather() {
        state mine{};
        for_each_column<false>([&](auto math, const auto& x, const coordinate&) R9V_INLINE_LAMBDA {
            mine = arithmetic::add(math, mine, x, shift_);
        });
        return tile::over_row(mine, rows_.sharing, base::lds_, merge);
    }

    /// Leaves the state of a part in scratch memory.
    R9V_INLINE void keep(const state& part) {
        if (!rows_.speaks()) return;
        const auto values = __builtin_bit_cast(floats, part);
        float* to = place_of(rows_.part);
        R9V_UNROLL
        for (int i = 0; i < floats::count; ++i)
            to[i] = values.values[i];
        if constexpr (arithmetic::is_shifted) to[floats::count] = shift_;
    }
    /// Merges the states of all parts, in a fixed order.
    R9V_INLINE state recall() const {
        state mine{};
        const std::int32_t lane = rows_.lane_column / 8;
        R9V_ROLLED
        for (std::int32_t part = lane; part < geometry_.parts; part += rows_.sharing.lanes()) {
            const float* from = place_of(part);
            floats values;
            R9V_UNROLL
            for (int i = 0; i < floats::count; ++i)
                values.values[i] = from[i];
            mine = merge(mine, __builtin_bit_cast(state, values));
        }
        return tile::over_lanes(mine, rows_.sharing, merge);
    }

    R9V_INLINE void finish(const state& row) {
        const auto totals = arithmetic::finish(wide_math{}, program_.head.kind, row, base::sink(),
                                               geometry_.columns, shift_);
        if constexpr (base::chain_type::has_row_op) {
            choose_from(totals);
        } else if constexpr (!base::one_result) {
            for_each_column<true>([&](auto math, const auto& x, const coordinate& at)
                                      R9V_INLINE_LAMBDA { base::finish(math, totals, x, at); });
        }
        base::commit(totals, rows_.part == 0);
    }

private:
    /// Every round passes over the row once more; taps count the first.
    R9V_INLINE void choose_from(const typename arithmetic::totals& totals) {
        typename base::states_type kept = base::states_;
        bool is_first = true;
        choose(last_op(program_.chain), rows_, base::lds_, [&](auto visit) R9V_INLINE_LAMBDA {
            for_each_column<true>(
                [&](auto math, const auto& x, const coordinate& at) R9V_INLINE_LAMBDA {
                    const auto y = base::results(math, totals, x, at, base::states_);
                    for (int i = 0; i < y.size; ++i)
                        visit(rank_of(y[i]), static_cast<std::int32_t>(at.column()) + i);
                });
            if (is_first) kept = base::states_;
            is_first = false;
        });
        base::states_ = kept;
    }

    using floats = tile::detail::floats_of<state>;

    struct merging {
        R9V_INLINE state operator()(const state& a, const state& b) const {
            return arithmetic::merge(wide_math{}, a, b);
        }
    };
    static constexpr merging merge{};

    [[nodiscard]] R9V_INLINE float* place_of(std::int32_t part) const {
        const index_t matrix = rows_.batch * geometry_.heads + rows_.head;
        const index_t row = matrix * geometry_.rows + rows_.row + rows_.lane_row;
        return geometry_.partials + (row * geometry_.parts + part) * part_floats;
    }

    /// visit(math, run, coordinate) for the lane's runs of the part, then for its single values.
    /// `Again`: of the second pass, which sees columns that no mask keeps too (they are not loaded)
    /// and writes nothing on the way.
    template<bool Again, class Visit>
    R9V_INLINE void for_each_column(Visit visit) {
        const std::int32_t first = begin_ + rows_.wave_in_row * rows_.chunk();
        if (geometry_.wide != 0) {
            std::int32_t column = first;
            R9V_ROLLED
            while (column < end_) {
                const std::int32_t last = column + (runs - 1) * rows_.step();
                if (last + rows_.chunk() <= end_ && base::is_loaded(column, last)) {
                    group<Again>(column, visit);
                    column += runs * rows_.step();
                } else {
                    single_chunk<Again>(column, visit);
                    column += rows_.step();
                }
            }
            if (end_ % 8 == 0) return;
        }
        R9V_ROLLED
        for (std::int32_t column = first; column < end_; column += rows_.step()) {
            if (geometry_.wide != 0 && column + rows_.chunk() <= end_) continue;
            const std::int32_t here = left(column, end_);
            const std::int32_t count = geometry_.wide != 0 && here >= 8 ? 0 : here;
            R9V_ROLLED
            for (int e = 0; e < 8; ++e)
                if (e < count) {
                    const coordinate at = rows_.at(column, rows_.lane_column + e);
                    visit(narrow_math{}, single<Again>(at), at);
                }
        }
    }

    template<bool Again, class Math, int Width>
    [[nodiscard]] R9V_INLINE run<float, Width> treat(Math math, const run<float, Width>& x,
                                                     const coordinate& at) const {
        if constexpr (Again) {
            return base::treat_again(math, x, at);
        } else {
            return base::treat(math, x, at);
        }
    }
    template<bool Again>
    [[nodiscard]] R9V_INLINE run<float, 1> single(const coordinate& at) const {
        return treat<Again>(narrow_math{}, base::source_.template load<1>(narrow_math{}, at), at);
    }

    /// Chunks that exist completely: their loads are under way together.
    template<bool Again, class Visit>
    R9V_INLINE void group(std::int32_t column, Visit& visit) {
        raw_run<view_type> raw[runs];
        R9V_UNROLL
        for (int r = 0; r < runs; ++r)
            raw[r].load(base::source_, rows_.at(column + r * rows_.step(), rows_.lane_column));
        arch::finish_issuing_loads();
        if (!rows_.exists) return;
        [&]<int... Is>(std::integer_sequence<int, Is...>) R9V_INLINE_LAMBDA {
            (visit_run<Again>(raw[Is], column + Is * rows_.step(), visit), ...);
        }(std::make_integer_sequence<int, runs>{});
    }
    /// One chunk, of which lanes may have no part, and masks nothing.
    template<bool Again, class Visit>
    R9V_INLINE void single_chunk(std::int32_t column, Visit& visit) {
        if (left(column, end_) < 8) return;
        if (is_loaded(column)) {
            raw_run<view_type> raw;
            raw.load(base::source_, rows_.at(column, rows_.lane_column));
            visit_run<Again>(raw, column, visit);
        } else if constexpr (Again) {
            visit(wide_math{}, broadcast<8>(arithmetic::padding),
                  rows_.at(column, rows_.lane_column));
        }
    }
    template<bool Again, class Visit>
    R9V_INLINE void visit_run(const raw_run<view_type>& raw, std::int32_t column, Visit& visit) {
        const coordinate at = rows_.at(column, rows_.lane_column);
        visit(wide_math{}, treat<Again>(wide_math{}, raw.values(), at), at);
    }

    std::int32_t begin_;
    std::int32_t end_;
    float shift_ = 0;
};

} // namespace r9v::inline R9V_ABI::kernels
