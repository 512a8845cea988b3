// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rows that fit into the registers of the lanes that share them: read once, looked at as often as
// need be.
#pragma once

#include <r9v/kernels/rows/choice.hpp>
#include <r9v/kernels/rows/row_block.hpp>
#include <r9v/kernels/rows/tuning.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<row_tile Tile, class Program>
class held_rows : public row_block<Program> {
    using base = row_block<Program>;
    using base::geometry_;
    using base::is_loaded;
    using base::left;
    using base::program_;
    using base::rows_;
    using typename base::arithmetic;
    using typename base::view_type;
    using held = typename arithmetic::held;
    using state = typename held::state;
    static constexpr int runs = Tile.runs;

public:
    using base::base;

    R9V_INLINE void load() {
        raw_run<view_type> raw[runs];
        for_each_run([&](int r) R9V_INLINE_LAMBDA {
            if (is_wide() && is_loaded(start(r))) base::load(raw[r], start(r), rows_.columns);
        });
        arch::finish_issuing_loads();
        if constexpr (is_repeated<typename base::prologue_type>) {
            for_each_run([&](int r) R9V_INLINE_LAMBDA { x_[r] = treated(raw[r], r); });
        } else {
            R9V_ROLLED
            for (int r = 0; r < runs; ++r)
                if (start(r) < rows_.columns) put(r, treated(picked(raw, r), r));
        }
        for_each_narrow([&](const coordinate& at, run<float, 1>& x) R9V_INLINE_LAMBDA {
            x = base::treat(narrow_math{}, base::source_.template load<1>(narrow_math{}, at), at);
        });
    }

    R9V_INLINE typename arithmetic::totals reduce() {
        float shift = 0;
        if constexpr (arithmetic::is_shifted) {
            shift = mean();
            pad(shift);
        }
        state mine{};
        for_each_run([&](int r)
                         R9V_INLINE_LAMBDA { mine = held::add(wide_math{}, mine, x_[r], shift); });
        const state row = tile::over_row(mine, rows_.sharing, base::lds_,
                                         [](const state& a, const state& b) R9V_INLINE_LAMBDA {
                                             return held::merge(wide_math{}, a, b);
                                         });
        return held::finish(wide_math{}, program_.head.kind, row, base::sink(), geometry_.columns,
                            shift);
    }

    R9V_INLINE void finish(const typename arithmetic::totals& totals) {
        if constexpr (base::chain_type::has_row_op) {
            choose_from(totals);
        } else if constexpr (!base::one_result) {
            const auto whole = [&](int r, const run<float, 8>& x) R9V_INLINE_LAMBDA {
                if (has_whole(r))
                    base::finish(wide_math{}, totals, x, rows_.at(start(r), rows_.lane_column));
            };
            if constexpr (is_repeated<typename base::chain_type>) {
                for_each_run([&](int r) R9V_INLINE_LAMBDA { whole(r, x_[r]); });
            } else {
                R9V_ROLLED
                for (int r = 0; r < runs; ++r)
                    if (start(r) < rows_.columns) whole(r, picked(x_, r));
            }
            for_each_narrow([&](const coordinate& at, run<float, 1>& x)
                                R9V_INLINE_LAMBDA { base::finish(narrow_math{}, totals, x, at); });
        }
        base::commit(totals, true);
    }

private:
    /// The ranks of the results take the place of the values.
    R9V_INLINE void choose_from(const typename arithmetic::totals& totals) {
        for_each_run([&](int r) R9V_INLINE_LAMBDA {
            if (has_whole(r))
                x_[r] = ranks(base::results(wide_math{}, totals, x_[r],
                                            rows_.at(start(r), rows_.lane_column), base::states_));
        });
        for_each_narrow([&](const coordinate& at, run<float, 1>& x) R9V_INLINE_LAMBDA {
            x = ranks(base::results(narrow_math{}, totals, x, at, base::states_));
        });
        choose(last_op(program_.chain), rows_, base::lds_, [&](auto visit) R9V_INLINE_LAMBDA {
            for_each_run([&](int r) R9V_INLINE_LAMBDA {
                R9V_UNROLL
                for (int i = 0; i < 8; ++i) {
                    const std::int32_t column = start(r) + rows_.lane_column + i;
                    if (column < rows_.columns) visit(numeric::opaque_bits(x_[r][i]), column);
                }
            });
        });
    }
    template<int Width>
    [[nodiscard]] R9V_INLINE static run<float, Width> ranks(run<float, Width> x) {
        R9V_UNROLL
        for (float& value : x)
            value = numeric::from_opaque_bits<float>(rank_of(value));
        return x;
    }

    struct one_sum {
        float value;
    };

    [[nodiscard]] R9V_INLINE std::int32_t start(int r) const {
        return r * rows_.step() + rows_.wave_in_row * rows_.chunk();
    }
    [[nodiscard]] R9V_INLINE bool is_wide() const { return geometry_.wide != 0; }
    [[nodiscard]] R9V_INLINE bool has_whole(int r) const {
        return is_wide() && left(start(r), rows_.columns) >= 8;
    }

    /// The run after the prologue, where all of it exists and may count; padding elsewhere.
    [[nodiscard]] R9V_INLINE run<float, 8> treated(const raw_run<view_type>& raw, int r) const {
        run<float, 8> x = broadcast<8>(arithmetic::padding);
        if (is_loaded(start(r)) && has_whole(r))
            x = base::treat(wide_math{}, raw.values(), rows_.at(start(r), rows_.lane_column));
        return x;
    }

    /// A fold instead of a loop: an index that is not a constant sends registers to memory.
    template<class Visit>
    R9V_INLINE void for_each_run(Visit visit) {
        [&]<int... Is>(std::integer_sequence<int, Is...>) R9V_INLINE_LAMBDA {
            (
                [&]() R9V_INLINE_LAMBDA {
                    if (start(Is) < rows_.columns) visit(Is);
                }(),
                ...);
        }(std::make_integer_sequence<int, runs>{});
    }

    /// Single values: those behind the last whole run, or all where lanes' offsets need 64 bits.
    /// The run is turned in its registers, so that one body of the chain serves all eight places.
    template<class Visit>
    R9V_INLINE void for_each_narrow(Visit visit) {
        if (is_wide() && rows_.columns % 8 == 0) return;
        R9V_ROLLED
        for (int r = 0; r < runs; ++r) {
            const std::int32_t column = start(r);
            const bool is_last = column + rows_.chunk() > rows_.columns;
            if (column >= rows_.columns || (is_wide() && !is_last)) continue;
            run<float, 8> turning = picked(x_, r);
            const std::int32_t here = left(column, rows_.columns);
            const std::int32_t count = is_wide() && here >= 8 ? 0 : here;
            R9V_ROLLED
            for (int e = 0; e < 8; ++e) {
                run<float, 1> x{{turning[0]}};
                if (e < count) visit(rows_.at(column, rows_.lane_column + e), x);
                R9V_UNROLL
                for (int i = 0; i < 7; ++i)
                    turning[i] = turning[i + 1];
                turning[7] = x[0];
            }
            put(r, turning);
        }
    }
    /// all[r] without an index that is not a constant: a scalar branch for each candidate.
    template<class T>
    [[nodiscard]] R9V_INLINE static T picked(const T (&all)[runs], int r) {
        T one = all[0];
        R9V_UNROLL
        for (int i = 1; i < runs; ++i)
            if (i == r) one = all[i];
        return one;
    }
    R9V_INLINE void put(int r, const run<float, 8>& run) {
        R9V_UNROLL
        for (int i = 0; i < runs; ++i)
            if (i == r) x_[i] = run;
    }

    [[nodiscard]] R9V_INLINE float mean() {
        one_sum mine{0};
        for_each_run([&](int r) R9V_INLINE_LAMBDA {
            R9V_UNROLL
            for (int i = 0; i < 8; ++i)
                mine.value += x_[r][i];
        });
        const one_sum row =
            tile::over_row(mine, rows_.sharing, base::lds_,
                           [](const one_sum& a, const one_sum& b)
                               R9V_INLINE_LAMBDA { return one_sum{a.value + b.value}; });
        return row.value * arch::reciprocal(static_cast<float>(rows_.columns));
    }

    /// Places without a value hold `value`, which adds nothing.
    R9V_INLINE void pad(float value) {
        for_each_run([&](int r) R9V_INLINE_LAMBDA {
            const std::int32_t here = left(start(r), rows_.columns);
            if (start(r) + rows_.chunk() > rows_.columns || !is_wide()) {
                R9V_UNROLL
                for (int i = 0; i < 8; ++i)
                    x_[r][i] = i < here ? x_[r][i] : value;
            }
        });
    }

    run<float, 8> x_[runs];
};

} // namespace r9v::inline R9V_ABI::kernels
