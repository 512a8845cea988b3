// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention with linear biases: scores fall with the distance between query and key.
#pragma once

#include <r9v/ops/check.hpp>
#include <r9v/ops/mask_interval.hpp>

namespace r9v::inline R9V_ABI {

/// x - slope * |distance of the key from the one that the query stands at|.
template<class Slope>
struct alibi_op {
    static constexpr auto role = detail::parameter_role<Slope>;
    static constexpr space memory = Slope::memory;
    Slope slope;
    index_t shift = 0;

    R9V_HD constexpr void bind(const extents& result) {
        shift = detail::diagonal_shift(bottom_right, result);
    }
    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> x, const coordinate& at) const {
        using real = typename Math::real;
        const real factor = -slope.template load<1>(math, at)[0];
        const auto distance = static_cast<real>(detail::from_diagonal(shift, at));
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            x[i] = math.fma(factor, math.abs(distance - static_cast<real>(i)), x[i]);
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        detail::visit_parameter(visit, "alibi", slope);
    }
};

namespace detail {

/// Engines keep slopes as bare vectors: those go along the heads.
template<class T>
[[nodiscard]] constexpr auto along_heads(const T& value) {
    if constexpr (any_tensor<T>) {
        if constexpr (T::rank <= 2) {
            return operand<span::head, T>{value};
        } else {
            return value;
        }
    } else {
        return value;
    }
}
template<class T>
using along_heads_of = decltype(along_heads(std::declval<const T&>()));

} // namespace detail

/// x - slope * |query + keys - queries - key| (Press et al., "Train short, test long"; the query's
/// position is aligned at the end, as in FlashAttention). Slopes are a tensor [heads] or [batches,
/// heads], a number, or another parameter. It changes scores, so it stands in front of masks.
template<class T>
[[nodiscard]] constexpr auto alibi(const T& slopes) {
    using slope = detail::along_heads_of<T>;
    constexpr auto broken = detail::broken_parameters_rule<slope>();
    if constexpr (detail::report_parameters<broken>()) {
        return alibi_op<detail::parameter_of<slope>>{
            detail::to_parameter(detail::along_heads(slopes))};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
