// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The end of rows that lie across neighbouring lanes, 8 columns in each: division by the sum of
// weights, the program's chain, taps and statistics.
#pragma once

#include <r9v/arch/common/fold.hpp>
#include <r9v/kernels/attention/sequence.hpp>
#include <r9v/ops/mask_range.hpp>
#include <r9v/ops/sink.hpp>
#include <r9v/ops/statistic.hpp>
#include <r9v/tile/device_math.hpp>

namespace r9v::inline R9V_ABI::kernels {

inline constexpr float log2_of_e = 1.44269504f;

/// exp(a - b), and 1 where both are `not_kept`.
[[nodiscard]] R9V_INLINE float weight_of(float a, float b) {
    return arch::exp2((a - b) * log2_of_e);
}

/// A row as a lane sees it.
struct finished_row {
    bool exists;         ///< whether this lane's row does; all lanes of the wave come along
    std::uint32_t head;  ///< of the query
    std::uint32_t query; ///< in its sequence
    float largest;       ///< score; `not_kept` where nothing is kept
    float sum;           ///< of the weights exp(score - largest); 0 where nothing is kept
};

/// `Lanes` lanes hold a row; lane c of them columns 8c ... 8c + 7.
template<int Lanes, class Program>
class row_finisher {
    using chain_type = typename Program::chain_type;
    using math = tile::device_math<index_t>;
    using states = typename states_of<math, chain_type>::type;

public:
    R9V_INLINE row_finisher(const Program& program, const attention_sequence& sequence)
        : program_{program},
          sequence_{sequence} {}

    R9V_INLINE void finish(const finished_row& row, run<float, 8> values) const {
        const int column = static_cast<int>(arch::lane_index()) % Lanes * 8;
        const coordinate at = sequence_.result(row.head, row.query, 0, 0, column);
        const normaliser norm = normaliser_of(row);
        states sums;
        reset_taps<tap_scope::row>(program_.chain, sums);
        reset_taps<tap_scope::tensor>(program_.chain, sums);
        R9V_UNROLL
        for (auto& value : values)
            value *= norm.factor;
        if (row.exists && column < program_.head.value_dim())
            evaluate(math{}, program_.chain, sums, at, values);
        commit_taps(row, at, sums);
        if (row.exists && column == 0)
            commit_statistics(math{}, program_.chain, at,
                              [&](row_statistic) { return norm.log_sum_exp(); });
    }

private:
    struct normaliser {
        float factor;  ///< of values that are weighted by exp(score - largest)
        float largest; ///< of the scores and the sink
        float total;   ///< of the weights relative to it

        R9V_INLINE float log_sum_exp() const {
            const float minus_infinity =
                numeric::from_opaque_bits<float>(numeric::float_infinity | 0x8000'0000u);
            return total == 0.0f ? minus_infinity : largest + arch::log(total);
        }
    };

    R9V_INLINE normaliser normaliser_of(const finished_row& row) const {
        using scores = typename Program::head_type::scores_type;
        normaliser norm{1.0f, row.largest, row.sum};
        if constexpr (scores::has_sink) {
            // All lanes read a sink that exists: the query and the head of others are clamped.
            const float logit = sink_of(program_.head.scores)
                                    .logit(math{}, sequence_.score(row.head, row.query, 0));
            norm.largest = arch::maximum(row.largest, logit);
            norm.factor = weight_of(row.largest, norm.largest);
            norm.total = row.sum * norm.factor + weight_of(logit, norm.largest);
        }
        // Not by the total: a sink alone leaves nothing to divide, and NaN must show.
        norm.factor = row.sum == 0.0f ? 0.0f : norm.factor * arch::reciprocal(norm.total);
        return norm;
    }

    /// Lower lanes first: the result has the same bits whatever else the wave computes.
    template<class Op>
    R9V_INLINE static float merged(const Op& op, float state, int lanes) {
        R9V_UNROLL
        for (int distance = 1; distance < lanes; distance *= 2) {
            const std::uint32_t lane = arch::lane_index();
            const auto bit = static_cast<std::uint32_t>(distance);
            const float other = arch::from_lane(state, lane ^ bit);
            const bool upper = (lane & bit) != 0;
            state = op.merge(math{}, upper ? other : state, upper ? state : other);
        }
        return state;
    }

    R9V_INLINE void commit_taps([[maybe_unused]] const finished_row& row,
                                [[maybe_unused]] const coordinate& at,
                                [[maybe_unused]] states& sums) const {
        for_each_tap<tap_scope::row>(program_.chain, sums, [&](const auto& op, auto& state, int) {
            const float all = merged(op, state, Lanes);
            if (row.exists && at.column() == 0) op.commit(math{}, all, at);
        });
        for_each_tap<tap_scope::tensor>(program_.chain, sums,
                                        [&](const auto& op, auto& state, int) {
                                            const float all = merged(op, state, arch::wave_size);
                                            if (arch::lane_index() == 0) op.commit(math{}, all, at);
                                        });
    }

    const Program& program_;
    const attention_sequence& sequence_;
};

} // namespace r9v::inline R9V_ABI::kernels
