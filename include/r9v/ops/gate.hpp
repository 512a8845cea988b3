// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Ops for the two results of `both(w1, w2)`: gates make them one, `each` treats them apart.
#pragma once

#include <r9v/ops/activation.hpp>
#include <r9v/ops/check.hpp>

namespace r9v::inline R9V_ABI {

/// curve(first) * second. The first weight of `both(w_gate, w_up)` is the gate, as gated layers of
/// language models have it. (PyTorch's glu() has the gate second: write both(w_gate, w_value).)
template<class Curve>
struct gate_op {
    static constexpr auto role = r9v::role::gate;
    Curve curve{};

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math math, run<typename Math::real, Width> first,
               const run<typename Math::real, Width>& second, const coordinate& at) const {
        first = pointwise<Curve>{curve}(math, first, at);
        R9V_UNROLL
        for (int i = 0; i < Width; ++i)
            first[i] *= second[i];
        return first;
    }
};

/// sigmoid(first) * second.
[[nodiscard]] constexpr auto glu() {
    return gate_op<curves::sigmoid>{};
}
/// relu(first) * second.
[[nodiscard]] constexpr auto reglu() {
    return gate_op<curves::relu>{};
}
/// gelu(first) * second, with the error function.
[[nodiscard]] constexpr auto geglu() {
    return gate_op<curves::gelu>{};
}
/// gelu_tanh(first) * second.
[[nodiscard]] constexpr auto geglu_tanh() {
    return gate_op<curves::gelu_tanh>{};
}
/// silu(first) * second.
[[nodiscard]] constexpr auto swiglu() {
    return gate_op<curves::silu>{};
}

/// One op for the first result, another for the second.
template<class First, class Second>
struct each_op {
    static constexpr auto role = r9v::role::each;
    static constexpr space memory = joined_memory(memory_of<First>, memory_of<Second>);
    First first;
    Second second;

    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        if constexpr (requires { first.visit_operands(visit); }) first.visit_operands(visit);
        if constexpr (requires { second.visit_operands(visit); }) second.visit_operands(visit);
    }
};

namespace detail {

enum class each_rule { kept, not_an_op, role, mixed_memory };

template<class Op>
constexpr bool suits_each() {
    if constexpr (any_op<Op>) {
        return Op::role == role::map || Op::role == role::operand;
    } else {
        return false;
    }
}

template<class First, class Second>
consteval each_rule broken_each_rule() {
    if constexpr (!any_op<First> || !any_op<Second>) {
        return each_rule::not_an_op;
    } else if constexpr (!suits_each<First>() || !suits_each<Second>()) {
        return each_rule::role;
    } else if constexpr (!same_memory(memory_of<First>, memory_of<Second>)) {
        return each_rule::mixed_memory;
    } else {
        return each_rule::kept;
    }
}

} // namespace detail

/// Between `gemm(x, both(w1, w2))` and its gate: `each(bias(b1), bias(b2))`. Maps and operand ops.
template<class First, class Second>
[[nodiscard]] constexpr auto each(const First& first, const Second& second) {
    constexpr auto broken = detail::broken_each_rule<First, Second>();
    static_assert(broken != detail::each_rule::not_an_op,
                  "r9v: each() takes two ops. Write each(bias(b1), bias(b2)), and each() twice for "
                  "two ops on each result.");
    static_assert(broken != detail::each_rule::role,
                  "r9v: each() takes maps and operands. Move gates, taps, quantize() and store() "
                  "behind the gate.");
    static_assert(broken != detail::each_rule::mixed_memory,
                  "r9v: host and device tensors are mixed in one op. Use tensor everywhere for a "
                  "stream, host_tensor everywhere for r9v::reference.");
    if constexpr (broken == detail::each_rule::kept) {
        if constexpr (is_rejected<First> || is_rejected<Second>) {
            return rejected{};
        } else {
            return each_op<First, Second>{first, second};
        }
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
