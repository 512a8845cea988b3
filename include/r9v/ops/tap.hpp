// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Taps that gather a statistic while the values pass: largest magnitudes and sums. The launch sets
// the result up by itself. Maxima merge in any order with the same result; sums merge in a fixed
// order, through scratch memory where several blocks share a row, so every run of a program gives
// the same bits. The result can feed the next program (`per_row(t)`), not the same one.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/ops/check.hpp>

namespace r9v::inline R9V_ABI {

/// max |x| over a row or the whole result. A NaN anywhere gives NaN.
template<tap_scope Scope, any_tensor View>
struct absmax_op {
    static constexpr auto role = r9v::role::tap;
    static constexpr space memory = View::memory;
    static constexpr tap_scope scope = Scope;
    static constexpr tap_merge merge_kind = tap_merge::atomic;
    static constexpr float identity = 0.0f;
    operand<Scope == tap_scope::row ? span::row : span::scalar, View> to;

    template<class Math, class Real, int Width>
    [[nodiscard]] R9V_HD Real add(Math math, Real state, const run<Real, Width>& x) const {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            state = math.max(state, math.abs(x[i]));
        return state;
    }
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real merge(Math math, Real a, Real b) const {
        return math.max(a, b);
    }
    template<class Math, class Real>
    R9V_HD void commit(Math math, Real state, const coordinate& at) const {
        math.atomic_max_nonnegative(to.element_at(at), state);
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit(Scope == tap_scope::row ? "absmax_rows" : "absmax", to, access::accumulate);
    }
};

/// Sum of a row's values, or of their squares.
template<bool Squares, any_tensor View>
struct sum_rows_op {
    static constexpr auto role = r9v::role::tap;
    static constexpr space memory = View::memory;
    static constexpr tap_scope scope = tap_scope::row;
    static constexpr tap_merge merge_kind = tap_merge::ordered;
    static constexpr float identity = 0.0f;
    operand<span::row, View> to;

    template<class Math, class Real, int Width>
    [[nodiscard]] R9V_HD Real add(Math math, Real state, const run<Real, Width>& x) const {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i) {
            if constexpr (Squares) {
                state = math.fma(x[i], x[i], state);
            } else {
                state += x[i];
            }
        }
        return state;
    }
    template<class Math, class Real>
    [[nodiscard]] R9V_HD Real merge(Math, Real a, Real b) const {
        return a + b;
    }
    template<class Math, class Real>
    R9V_HD void commit(Math math, Real total, const coordinate& at) const {
        math.template store<1>(to.base(at), to.lane_offset(math, at), run<Real, 1>{{total}});
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit(Squares ? "sum_squares_rows" : "sum_rows", to, access::accumulate);
    }
};

namespace detail {

enum class statistic_rule { kept, not_a_tensor, element, tensor_rank, row_rank };

template<tap_scope Scope, class View>
consteval statistic_rule broken_statistic_rule() {
    if constexpr (!any_tensor<View>) {
        return statistic_rule::not_a_tensor;
    } else if constexpr (!std::is_same_v<typename View::element_type, float>) {
        return statistic_rule::element;
    } else if constexpr (Scope == tap_scope::tensor && View::rank != 1) {
        return statistic_rule::tensor_rank;
    } else if constexpr (Scope == tap_scope::row && View::rank > 3) {
        return statistic_rule::row_rank;
    } else {
        return statistic_rule::kept;
    }
}

template<statistic_rule Broken>
constexpr bool report_statistic() {
    static_assert(Broken != statistic_rule::not_a_tensor,
                  "r9v: a statistic goes into a tensor. Write absmax(tensor{pointer, {1}}) or "
                  "sum_rows(tensor{pointer, {rows}}).");
    static_assert(Broken != statistic_rule::element,
                  "r9v: a statistic is a float. Pass a tensor of mutable floats.");
    static_assert(Broken != statistic_rule::tensor_rank,
                  "r9v: absmax() takes a tensor of rank 1 with one element. Write absmax_rows(t) "
                  "for one value per row.");
    static_assert(Broken != statistic_rule::row_rank,
                  "r9v: a row statistic takes a tensor of rank 1 [rows], 2 [batches, rows] or 3 "
                  "[batches, heads, rows]. Pass one value per row.");
    return Broken == statistic_rule::kept;
}

} // namespace detail

/// `... | absmax(t) | ...`: t[0] becomes the largest magnitude of the whole result, batches
/// included; t is float, of rank 1 and extent 1.
template<class View>
[[nodiscard]] constexpr auto absmax(const View& to) {
    constexpr auto broken = detail::broken_statistic_rule<tap_scope::tensor, View>();
    if constexpr (detail::report_statistic<broken>()) {
        return absmax_op<tap_scope::tensor, View>{{to}};
    } else {
        return rejected{};
    }
}

/// Largest magnitude of each row; t is float, of rank 1 [rows], 2 [batches, rows] or 3 [batches,
/// heads, rows].
template<class View>
[[nodiscard]] constexpr auto absmax_rows(const View& to) {
    constexpr auto broken = detail::broken_statistic_rule<tap_scope::row, View>();
    if constexpr (detail::report_statistic<broken>()) {
        return absmax_op<tap_scope::row, View>{{to}};
    } else {
        return rejected{};
    }
}

/// Sum of each row; t is float, of rank 1 [rows], 2 [batches, rows] or 3 [batches, heads,
/// rows].
template<class View>
[[nodiscard]] constexpr auto sum_rows(const View& to) {
    constexpr auto broken = detail::broken_statistic_rule<tap_scope::row, View>();
    if constexpr (detail::report_statistic<broken>()) {
        return sum_rows_op<false, View>{{to}};
    } else {
        return rejected{};
    }
}

/// Sum of the squares of each row; t is float, of rank 1 [rows], 2 [batches, rows] or 3 [batches,
/// heads, rows].
template<class View>
[[nodiscard]] constexpr auto sum_squares_rows(const View& to) {
    constexpr auto broken = detail::broken_statistic_rule<tap_scope::row, View>();
    if constexpr (detail::report_statistic<broken>()) {
        return sum_rows_op<true, View>{{to}};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
