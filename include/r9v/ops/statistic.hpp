// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Taps that write what a head knows about each row: the normaliser of a softmax, the mean of a
// norm. The head computes them anyway, so they cost one store a row.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/ops/check.hpp>
#include <r9v/ops/tap.hpp>

namespace r9v::inline R9V_ABI {

/// Writes one statistic of the head for each row.
template<row_statistic Statistic, any_tensor View>
struct statistic_op {
    static constexpr auto role = r9v::role::tap;
    static constexpr space memory = View::memory;
    static constexpr row_statistic statistic = Statistic;
    operand<span::row, View> to;

    template<class Math, class Real>
    R9V_HD void commit(Math, Real value, const coordinate& at) const {
        *to.element_at(at) = static_cast<float>(value);
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit(name(), to, access::write);
    }

private:
    [[nodiscard]] static constexpr const char* name() {
        switch (Statistic) {
        case row_statistic::log_sum_exp:
            return "log_sum_exp_rows";
        case row_statistic::maximum:
            return "max_rows";
        case row_statistic::mean:
            return "mean_rows";
        default:
            return "inverse_deviation_rows";
        }
    }
};

/// Writes the statistics of one row that the chain asks for: `value_of(statistic)` gives them, once
/// for each; `at` names the row.
template<class Math, class... Ops, class ValueOf>
R9V_HD void commit_statistics(Math math, const chain<Ops...>& ops, const coordinate& at,
                              ValueOf&& value_of) {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (
            [&] {
                using Op = std::remove_cvref_t<decltype(get<Is>(ops.ops))>;
                if constexpr (takes_statistic<Op>)
                    get<Is>(ops.ops).commit(math, value_of(Op::statistic), at);
            }(),
            ...);
    }(std::index_sequence_for<Ops...>{});
}

namespace detail {

template<row_statistic Statistic, class View>
[[nodiscard]] constexpr auto statistic_into(const View& to) {
    constexpr auto broken = broken_statistic_rule<tap_scope::row, View>();
    if constexpr (report_statistic<broken>()) {
        return statistic_op<Statistic, View>{{to}};
    } else {
        return rejected{};
    }
}

} // namespace detail

/// Natural logarithm of the sum of exp over each row of a softmax or attention, masks and sinks
/// included; -infinity where nothing is kept. t is float, of rank 1 [rows], 2 [batches, rows] or 3
/// [batches, heads, rows].
template<class View>
[[nodiscard]] constexpr auto log_sum_exp_rows(const View& to) {
    return detail::statistic_into<row_statistic::log_sum_exp>(to);
}

/// Largest value of each row that a softmax keeps; -infinity where nothing is kept. t as above.
template<class View>
[[nodiscard]] constexpr auto max_rows(const View& to) {
    return detail::statistic_into<row_statistic::maximum>(to);
}

/// Mean of each row of a layer_norm. t as above.
template<class View>
[[nodiscard]] constexpr auto mean_rows(const View& to) {
    return detail::statistic_into<row_statistic::mean>(to);
}

/// 1 / sqrt(variance + epsilon) of each row of a layer_norm, 1 / sqrt(mean square + epsilon) of an
/// rms_norm. t as above.
template<class View>
[[nodiscard]] constexpr auto inverse_deviation_rows(const View& to) {
    return detail::statistic_into<row_statistic::inverse_deviation>(to);
}

} // namespace r9v::inline R9V_ABI
