// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Where results go: `store` ends a program, `tee` writes a copy on the way.
#pragma once

#include <r9v/ops/operand.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

template<any_tensor View>
constexpr void check_destination() {
    static_assert(!std::is_const_v<typename View::element_type>,
                  "r9v: the destination's elements are const. Pass a tensor of mutable elements.");
    static_assert(is_element<typename View::value_type>,
                  "r9v: unknown element type. Use float, half, bf16, fp8_e4m3, fp8_e5m2, int8, "
                  "uint8 or int32, or an engine type with the same bits.");
    static_assert(View::rank == 2 || View::rank == 3,
                  "r9v: a result is a matrix. Store into a tensor of rank 2 [rows, columns] or 3 "
                  "[batches, rows, columns].");
}

} // namespace detail

/// Writes every value, rounded to nearest even (integers and fp8 saturate), and ends the program.
template<any_tensor View>
struct store_op {
    static constexpr auto role = r9v::role::store;
    static constexpr space memory = View::memory;
    operand<span::matrix, View> to;

    template<class Math, int N>
    R9V_HD void operator()(Math math, const run<typename Math::real, N>& x,
                           const coordinate& at) const {
        to.template store<N>(math, at, x);
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

    template<class Math, int N>
    R9V_HD void operator()(Math math, const run<typename Math::real, N>& x,
                           const coordinate& at) const {
        to.template store<N>(math, at, x);
    }
    template<class Visit>
    constexpr void visit_operands(Visit&& visit) const {
        visit("tee", to, access::write);
    }
};

/// `... | store(t)`: t has rank 2 [rows, columns], or 3 with batches in front; any strides
/// (`transposed(t)`, `slice(t, ...)`).
template<any_tensor View>
[[nodiscard]] constexpr auto store(const View& to) {
    detail::check_destination<View>();
    return store_op<View>{{to}};
}

/// `... | tee(t) | ...`: a second output of the values as they are at this place of the chain.
template<any_tensor View>
[[nodiscard]] constexpr auto tee(const View& to) {
    detail::check_destination<View>();
    return tee_op<View>{{to}};
}

} // namespace r9v::inline R9V_ABI
