// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention in plain loops and double, through the same op objects: the truth of every test. Scores
// of a row are kept whole, and the softmax is the textbook's.
#pragma once

#include <r9v/kernels/attention/sequence.hpp>
#include <r9v/numeric/bits.hpp>
#include <r9v/ops/mask.hpp>
#include <r9v/ops/sink.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Row `query` of q after its prologue, whose results are elements: what is too large for their
/// type is infinite, as in load_row() of gemm.
template<class Head>
void load_query(const Head& head, const kernels::attention_sequence& s, index_t h, index_t query,
                std::vector<double>& values) {
    const auto rows = head.q.rows.rows(s.index, h);
    const auto* row = rows.first + rows.offset(query);
    for (std::size_t d = 0; d < values.size(); ++d) {
        const auto column = static_cast<index_t>(d);
        const run<double, 1> loaded{{to_double(row[d])}};
        values[d] = r9v::transform(reference_math{}, head.q.prologue, s.result(h, query, column),
                                   loaded)[0];
        if constexpr (decltype(head.q.prologue)::size != 0) {
            const double rounded = reference_math::round_to<typename Head::element>(values[d]);
            if (is_inf(rounded)) values[d] = rounded;
        }
    }
}

/// Scores of one query with all keys of its sequence, kept or not.
template<class Head>
void row_of_scores(const Head& head, const typename Head::scores_type& ops,
                   const kernels::attention_sequence& s, index_t h, index_t query,
                   const std::vector<double>& q, std::vector<double>& scores) {
    const auto rows = head.k.rows(s.index, h / (head.heads() / head.key_heads()));
    scores.resize(static_cast<std::size_t>(s.keys));
    for (index_t key = 0; key < s.keys; ++key) {
        const auto* row = rows.first + rows.offset(key);
        double sum = 0;
        for (std::size_t d = 0; d < q.size(); ++d)
            sum += q[d] * to_double(row[d]);
        scores[static_cast<std::size_t>(key)] =
            r9v::transform(reference_math{}, ops, s.score(h, query, key), run<double, 1>{{sum}})[0];
    }
}

/// The logit of a row's sink; `not_kept` without one.
template<class Chain>
[[nodiscard]] double sink_logit(const Chain& ops, const coordinate& at) {
    if constexpr (Chain::has_sink) {
        return sink_of(ops).logit(reference_math{}, at);
    } else {
        return not_kept;
    }
}

/// Logarithm of the sum of exponentials of the scores that are kept, and of a sink; -infinity
/// where there are none. No infinity is computed with, so -ffast-math changes nothing.
[[nodiscard]] inline double log_sum_exp_of(const std::vector<double>& scores, double sink) {
    double most = sink;
    bool any = is_kept(sink);
    for (const double score : scores) {
        if (!is_kept(score)) continue;
        most = any ? reference_math::max(most, score) : score;
        any = true;
    }
    if (!any) return numeric::from_opaque_bits<double>(numeric::double_infinity | 1ull << 63);
    double sum = is_kept(sink) ? std::exp(sink - most) : 0;
    for (const double score : scores)
        if (is_kept(score)) sum += std::exp(score - most);
    return most + std::log(sum);
}

/// Sum of the rows of v by their weights exp(score - log_sum_exp). Rows of keys that are not kept
/// are not read: they may hold anything.
template<class Rows>
void weighted_sum(const std::vector<double>& scores, double log_sum_exp, const Rows& rows,
                  std::vector<double>& result) {
    for (double& x : result)
        x = 0;
    for (std::size_t key = 0; key < scores.size(); ++key) {
        if (!is_kept(scores[key])) continue;
        const double weight = std::exp(scores[key] - log_sum_exp);
        const auto* row = rows.first + rows.offset(static_cast<index_t>(key));
        for (std::size_t d = 0; d < result.size(); ++d)
            result[d] += weight * to_double(row[d]);
    }
}

/// One row of the result through the chain behind the head, statistics and row taps included.
template<class Chain, class States>
void finish_row(const Chain& ops, States& states, const kernels::attention_sequence& s, index_t h,
                index_t query, const std::vector<double>& values, double log_sum_exp) {
    constexpr reference_math math{};
    reset_taps<tap_scope::row>(ops, states);
    for (std::size_t d = 0; d < values.size(); ++d)
        evaluate(math, ops, states, s.result(h, query, static_cast<index_t>(d)),
                 run<double, 1>{{values[d]}});
    const coordinate at = s.result(h, query, 0);
    for_each_tap<tap_scope::row>(
        ops, states, [&](const auto& op, double state, int) { op.commit(math, state, at); });
    commit_statistics(math, ops, at, [&](row_statistic) { return log_sum_exp; });
}

} // namespace detail

/// Runs a checked program on host views.
template<class Head, class Chain>
    requires is_attention_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const Head& head = p.head;
    std::vector<double> q(static_cast<std::size_t>(head.key_dim()));
    std::vector<double> values(static_cast<std::size_t>(head.value_dim()));
    std::vector<double> scores;
    typename states_of<reference_math, Chain>::type states{};

    reset_taps<tap_scope::tensor>(p.chain, states);
    for (index_t index = 0; index < head.sequences(); ++index) {
        const auto s = kernels::sequence_of(head, index);
        const auto ops = kernels::scores_of(head, s);
        for (index_t h = 0; h < head.heads(); ++h) {
            const auto rows = head.v.rows(index, h / (head.heads() / head.key_heads()));
            for (index_t query = 0; query < s.queries; ++query) {
                detail::load_query(head, s, h, query, q);
                detail::row_of_scores(head, ops, s, h, query, q, scores);
                const double sum =
                    detail::log_sum_exp_of(scores, detail::sink_logit(ops, s.score(h, query, 0)));
                detail::weighted_sum(scores, sum, rows, values);
                detail::finish_row(p.chain, states, s, h, query, values, sum);
            }
        }
    }
    for_each_tap<tap_scope::tensor>(p.chain, states, [&](const auto& op, double state, int) {
        op.commit(reference_math{}, state, coordinate{});
    });
}

} // namespace r9v::inline R9V_ABI
