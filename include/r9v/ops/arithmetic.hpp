// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ops that combine every value with a tensor's: bias, add, residual, mul.
#pragma once

#include <r9v/ops/operand.hpp>
#include <r9v/ops/role.hpp>

namespace r9v::inline R9V_ABI {

/// x + t, with t along `Span`.
template<span Span, any_tensor View>
struct add_op {
    static constexpr auto role = r9v::role::operand;
    static constexpr space memory = View::memory;
    operand<Span, View> values;

    template<class Math, int N>
    [[nodiscard]] R9V_HD run<typename Math::real, N>
    operator()(Math math, run<typename Math::real, N> x, const coordinate& at) const {
        const auto y = values.template load<N>(math, at);
        R9V_UNROLL
        for (int i = 0; i < N; ++i) x[i] += y[i];
        return x;
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit(Span == span::column ? "bias" : "add", values, access::read);
    }
};

/// x + b, one value per column: b has rank 1 [columns], or 2 [batches, columns].
template<any_tensor View>
[[nodiscard]] constexpr auto bias(const View& values) {
    static_assert(View::rank <= 2,
                  "r9v: bias() takes a tensor of rank 1 [columns] or 2 [batches, columns]. Write "
                  "add(t) or residual(t) for a matrix.");
    return add_op<span::column, View>{{values}};
}

} // namespace r9v::inline R9V_ABI
