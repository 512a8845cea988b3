// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A logit that joins the sum of a softmax and nothing else, so that a row may attend to nothing.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/ops/check.hpp>

namespace r9v::inline R9V_ABI {

template<class Logit>
struct sink_op {
    static constexpr auto role = r9v::role::sink;
    static constexpr space memory = Logit::memory;
    Logit parameter;

    /// The logit of the row at `at`; one of -inf adds nothing.
    template<class Math>
    [[nodiscard]] R9V_HD typename Math::real logit(Math math, const coordinate& at) const {
        return parameter.template load<1>(math, at)[0];
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "sink", parameter);
    }
};

/// What sink_of() gives for chains without one.
struct no_sink {};

template<class Op>
inline constexpr bool is_sink = false;
template<class Logit>
inline constexpr bool is_sink<sink_op<Logit>> = true;

/// The sink of a chain, or no_sink; `chain::has_sink` tells which.
template<class... Ops>
[[nodiscard]] R9V_HD constexpr auto sink_of(const chain<Ops...>& ops) {
    constexpr int count = (0 + ... + (Ops::role == role::sink ? 1 : 0));
    static_assert(count <= 1, "r9v: a softmax has one sink. Write one sink(), with the logarithm "
                              "of the sum of exponentials where there are several.");
    constexpr int position = [] {
        int found = 0;
        int at = 0;
        ((found = Ops::role == role::sink ? at : found, ++at), ...);
        return found;
    }();
    if constexpr (count == 0) {
        return no_sink{};
    } else {
        return get<static_cast<std::size_t>(position)>(ops.ops);
    }
}

/// A logit that joins the denominator of every row and gives no weight of its own: a number,
/// per_head(t), per_row(t) or per_tensor(t). It is added as it is, neither scaled nor masked, and
/// counts in log_sum_exp_rows(). A row with nothing kept still gives zeros.
template<class T>
[[nodiscard]] constexpr auto sink(const T& logit) {
    constexpr bool bare = any_tensor<T>;
    static_assert(!bare, "r9v: a bare tensor does not say what it goes along. Write "
                         "sink(per_head(t)), sink(per_row(t)) or sink(per_tensor(t)).");
    if constexpr (bare) {
        return rejected{};
    } else {
        constexpr auto broken = detail::broken_parameters_rule<T>();
        if constexpr (detail::report_parameters<broken>()) {
            return sink_op<detail::parameter_of<T>>{detail::to_parameter(logit)};
        } else {
            return rejected{};
        }
    }
}

} // namespace r9v::inline R9V_ABI
