// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Where results go: `store` ends a program, `tee` writes a copy on the way.
#pragma once

#include <r9v/ops/operand.hpp>

namespace r9v::inline R9V_ABI {

/// Writes every value, rounded to nearest even (integers and fp8 saturate), and ends the program.
template<any_tensor View>
struct store_op {
    static constexpr auto role = r9v::role::store;
    static constexpr space memory = View::memory;
    operand<span::matrix, View> to;

    template<class Math, int Width>
    R9V_HD void operator()(Math math, const run<typename Math::real, Width>& x,
                           const coordinate& at) const {
        to.template store<Width>(math, at, x);
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("store", to, access::write);
    }
};

/// Writes every value as `store` does and passes it on.
template<any_tensor View>
struct tee_op {
    static constexpr auto role = r9v::role::tap;
    static constexpr space memory = View::memory;
    operand<span::matrix, View> to;

    template<class Math, int Width>
    R9V_HD void operator()(Math math, const run<typename Math::real, Width>& x,
                           const coordinate& at) const {
        to.template store<Width>(math, at, x);
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("tee", to, access::write);
    }
};

namespace detail {

enum class destination_rule { kept, not_a_tensor, constant, element, rank };

template<class View>
consteval destination_rule broken_destination_rule() {
    if constexpr (!any_tensor<View>) {
        return destination_rule::not_a_tensor;
    } else if constexpr (std::is_const_v<typename View::element_type>) {
        return destination_rule::constant;
    } else if constexpr (!is_element<typename View::value_type>) {
        return destination_rule::element;
    } else if constexpr (View::rank < 2 || View::rank > 4) {
        return destination_rule::rank;
    } else {
        return destination_rule::kept;
    }
}

template<destination_rule Broken>
constexpr bool report_destination() {
    static_assert(Broken != destination_rule::not_a_tensor,
                  "r9v: results go into tensors. Write store(tensor{pointer, {rows, columns}}).");
    static_assert(Broken != destination_rule::constant,
                  "r9v: the destination's elements are const. Pass a tensor of mutable elements.");
    static_assert(Broken != destination_rule::element,
                  "r9v: unknown element type. Use float, half, bf16, fp8_e4m3, fp8_e5m2, int8, "
                  "uint8 or int32, or an engine type with the same bits.");
    static_assert(Broken != destination_rule::rank,
                  "r9v: a result is a matrix. Store into a tensor of rank 2 [rows, columns], 3 "
                  "[batches, rows, columns] or 4 [batches, heads, rows, columns].");
    return Broken == destination_rule::kept;
}

} // namespace detail

/// `... | store(t)`: t has rank 2 [rows, columns], 3 with batches in front, or 4 with batches and
/// heads; any strides
/// (`transposed(t)`, `slice(t, ...)`).
template<class View>
[[nodiscard]] constexpr auto store(const View& to) {
    constexpr auto broken = detail::broken_destination_rule<View>();
    if constexpr (detail::report_destination<broken>()) {
        return store_op<View>{{to}};
    } else {
        return rejected{};
    }
}

/// `... | tee(t) | ...`: a second output of the values as they are at this place of the chain.
template<class View>
[[nodiscard]] constexpr auto tee(const View& to) {
    constexpr auto broken = detail::broken_destination_rule<View>();
    if constexpr (detail::report_destination<broken>()) {
        return tee_op<View>{{to}};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
