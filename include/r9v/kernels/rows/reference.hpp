// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Row programs in plain loops and double, by their definitions: the truth of every test.
//
// softmax: exp(x - m) / s with m the largest x that counts and s the sum of exp(x - m) over those
// that count; x that do not count (masked, or -inf) give 0, and a row without any gives zeros.
// log_softmax: x - m - log(s); -inf where x does not count. log_sum_exp: m + log(s); -inf where
// nothing counts. NaN or +inf in a row makes its results NaN (log_sum_exp of +inf is +inf), as in
// PyTorch.
#pragma once

#include <r9v/kernels/rows/problem.hpp>
#include <r9v/ops/mask_range.hpp>
#include <r9v/ops/reference_math.hpp>
#include <r9v/ops/sink.hpp>
#include <r9v/ops/statistic.hpp>
#include <r9v/ops/top_k.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace r9v::inline R9V_ABI {

namespace detail {

struct row_results {
    double first = 0;  ///< maximum, or mean
    double second = 0; ///< log of the sum of exp, or inverse deviation
};

inline double infinity_below() {
    return numeric::from_opaque_bits<double>(numeric::double_infinity | 1ull << 63);
}

/// Softmaxes. `sink`: whether a logit joins the sum.
template<class Kind>
row_results reference_row(const Kind&, std::vector<double>& x, const double* sink) {
    reference_math math;
    double top = infinity_below();
    bool any = false;
    for (const double value : x) {
        if (!is_kept(value)) continue;
        top = any ? math.max(top, value) : value;
        any = true;
    }
    double largest = top;
    if (sink != nullptr && is_kept(*sink)) largest = any ? math.max(top, *sink) : *sink;
    double sum = sink != nullptr && is_kept(*sink) ? std::exp(*sink - largest) : 0.0;
    for (const double value : x)
        if (is_kept(value)) sum += std::exp(value - largest);
    for (double& value : x) {
        const bool kept = is_kept(value);
        if constexpr (std::is_same_v<Kind, row_log_softmax>) {
            value = kept ? value - largest - std::log(sum) : infinity_below();
        } else {
            // NaN among the values that count reaches the whole row.
            const double share = kept ? std::exp(value - largest) / sum : is_nan(sum) ? sum : 0.0;
            value = any ? share : 0.0;
        }
    }
    const bool empty = !any && (sink == nullptr || !is_kept(*sink));
    return {top, empty ? infinity_below() : is_inf(largest) ? largest : largest + std::log(sum)};
}

inline row_results reference_row(const row_rms_norm& kind, std::vector<double>& x, const double*) {
    double squares = 0;
    for (const double value : x)
        squares += value * value;
    const double inverse =
        1 / std::sqrt(squares / static_cast<double>(x.size()) + static_cast<double>(kind.epsilon));
    for (double& value : x)
        value *= inverse;
    return {0, inverse};
}

inline row_results reference_row(const row_layer_norm& kind, std::vector<double>& x,
                                 const double*) {
    const auto columns = static_cast<double>(x.size());
    double sum = 0;
    for (const double value : x)
        sum += value;
    const double mean = sum / columns;
    double squares = 0;
    for (const double value : x)
        squares += (value - mean) * (value - mean);
    const double inverse = 1 / std::sqrt(squares / columns + static_cast<double>(kind.epsilon));
    for (double& value : x)
        value = (value - mean) * inverse;
    return {mean, inverse};
}

/// The k largest values of a row, the first of equal ones first.
template<class Op>
void reference_top_k(const Op& op, const std::vector<double>& row, coordinate at) {
    reference_math math;
    std::vector<std::size_t> places(row.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        if (is_nan(row[a]) != is_nan(row[b])) return is_nan(row[a]);
        if (!is_nan(row[a]) && row[a] != row[b]) return row[a] > row[b];
        return a < b;
    });
    const auto value = [&](int place) {
        return row[places[static_cast<std::size_t>(place)]];
    };
    double sum = 0;
    for (int place = 0; place < op.k; ++place)
        sum += op.weight(math, value(place), value(0));
    for (int place = 0; place < op.k; ++place) {
        at.column_base = place;
        op.store(math, at, op.share(math, op.weight(math, value(place), value(0)), sum),
                 static_cast<index_t>(places[static_cast<std::size_t>(place)]));
    }
}

/// One row of a program: load, compute, hand to the chain.
template<class Head, class Chain>
class reference_rows {
    using states_type = typename states_of<reference_math, Chain>::type;
    using from_type = operand<span::matrix, typename Head::view_type>;

public:
    reference_rows(const Head& head, const Chain& ops, states_type& states)
        : head_{head},
          ops_{ops},
          states_{states},
          from_{head.x.view},
          x_(static_cast<std::size_t>(head.source_extents().columns)) {}

    void run(coordinate at) {
        load(at);
        const row_results row = results(at);
        reset_taps<tap_scope::row>(ops_, states_);
        if constexpr (std::is_same_v<typename Head::kind_type, row_log_sum_exp>)
            x_.assign(1, row.second);
        for (std::size_t column = 0; column < x_.size(); ++column) {
            at.column_base = static_cast<index_t>(column);
            r9v::run<double, 1> y{{x_[column]}};
            steps(math_, ops_, states_, y, at, interval<0, Chain::size>{});
            x_[column] = y[0];
        }
        at.column_base = 0;
        if constexpr (Chain::has_row_op)
            reference_top_k(get<static_cast<std::size_t>(Chain::size - 1)>(ops_.ops), x_, at);
        for_each_tap<tap_scope::row>(
            ops_, states_, [&](const auto& op, double state, int) { op.commit(math_, state, at); });
        commit_statistics(math_, ops_, at, [&](row_statistic s) {
            return s == row_statistic::maximum || s == row_statistic::mean ? row.first : row.second;
        });
    }

private:
    void load(coordinate at) {
        x_.resize(static_cast<std::size_t>(head_.source_extents().columns));
        for (std::size_t column = 0; column < x_.size(); ++column) {
            at.column_base = static_cast<index_t>(column);
            x_[column] =
                r9v::transform(math_, head_.x.prologue, at, from_.template load<1>(math_, at))[0];
        }
    }
    row_results results(const coordinate& at) {
        if constexpr (Head::prologue_type::has_sink) {
            const double sink = sink_of(head_.x.prologue).logit(math_, at);
            return reference_row(head_.kind, x_, &sink);
        } else {
            return reference_row(head_.kind, x_, nullptr);
        }
    }

    static constexpr reference_math math_{};
    const Head& head_;
    const Chain& ops_;
    states_type& states_;
    from_type from_;
    std::vector<double> x_;
};

} // namespace detail

/// Runs a checked and bound row program on host views.
template<class Head, class Chain>
    requires is_row_head<Head>
void run_reference(const program<Head, Chain>& p) {
    const extents size = p.head.source_extents();
    typename states_of<reference_math, Chain>::type states{};
    detail::reference_rows<Head, Chain> rows{p.head, p.chain, states};
    reset_taps<tap_scope::tensor>(p.chain, states);
    for (index_t batch = 0; batch < size.batches; ++batch)
        for (index_t head = 0; head < size.heads; ++head)
            for (index_t row = 0; row < size.rows; ++row)
                rows.run({.batch_base = batch, .row_base = row, .head_base = head});
    for_each_tap<tap_scope::tensor>(p.chain, states, [&](const auto& op, double state, int) {
        op.commit(reference_math{}, state, coordinate{});
    });
}

} // namespace r9v::inline R9V_ABI
