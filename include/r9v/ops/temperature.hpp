// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What sampling divides its logits by.
#pragma once

#include <r9v/ops/check.hpp>
#include <r9v/ops/quantize.hpp>

namespace r9v::inline R9V_ABI {

/// x / temperature.
template<class Temperature>
struct temperature_op {
    static constexpr auto role = detail::parameter_role<Temperature>;
    static constexpr space memory = Temperature::memory;
    Temperature parameter;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        const auto divisor = parameter.template load<Width>(math, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = detail::quotient(math, x[i], divisor[i]);
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "temperature", parameter);
    }
};

/// `softmax(logits | temperature(per_row(t)))`: x / t, for t above 0: a number, per_row(t),
/// per_tensor(t) or per_head(t). The limit of 0 is the largest value alone: top_k(1, ...).
template<class T>
[[nodiscard]] constexpr auto temperature(const T& value) {
    constexpr auto broken = detail::broken_parameters_rule<T>();
    if constexpr (detail::report_parameters<broken>()) {
        return temperature_op<detail::parameter_of<T>>{detail::to_parameter(value)};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
