// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Parameters of ops: a number, or a tensor of numbers per tensor, row, column or group. `scale`,
// `quantize`, `dequantize`, `scale_shift`, `prelu` and `clamp` all take them.
#pragma once

#include <r9v/ops/operand.hpp>

#include <bit>
#include <type_traits>

namespace r9v::inline R9V_ABI {

/// A number known to the host.
struct constant {
    static constexpr space memory = space::none;
    float value = 0;

    template<int N, class Math>
    R9V_HD run<typename Math::real, N> load(Math, const coordinate&) const {
        return broadcast<N>(static_cast<typename Math::real>(value));
    }
};

/// One number in device memory, read by the kernel: `per_tensor(t)`, t of rank 1 and extent 1.
template<any_tensor View>
[[nodiscard]] constexpr auto per_tensor(const View& values) {
    static_assert(View::rank == 1, "r9v: per_tensor() takes a tensor of rank 1 with one element. "
                                   "Write per_row(t) or per_column(t) for more.");
    return operand<span::scalar, View>{values};
}

/// One number per row of the result: rank 1 [rows], or rank 2 [batches, rows].
template<any_tensor View>
[[nodiscard]] constexpr auto per_row(const View& values) {
    static_assert(View::rank <= 2, "r9v: per_row() takes a tensor of rank 1 [rows] or 2 [batches, "
                                   "rows]. Pass one value per row.");
    return operand<span::row, View>{values};
}

/// One number per column of the result: rank 1 [columns], or rank 2 [batches, columns].
template<any_tensor View>
[[nodiscard]] constexpr auto per_column(const View& values) {
    static_assert(View::rank <= 2, "r9v: per_column() takes a tensor of rank 1 [columns] or 2 "
                                   "[batches, columns]. Pass one value per column.");
    return operand<span::column, View>{values};
}

/// One number per row and group of `group` neighbouring columns: rank 2 [rows, columns / group],
/// rounded up. `group` is a power of two, 8 or more; launch refuses others.
template<any_tensor View>
[[nodiscard]] constexpr auto per_group(const View& values, int group) {
    static_assert(View::rank == 2 || View::rank == 3,
                  "r9v: per_group() takes a tensor of rank 2 [rows, groups] or 3 [batches, rows, "
                  "groups]. Pass one value per row and group.");
    const bool right = group >= 8 && is_power_of_two(group);
    return operand<span::group, View>{
        values, right ? std::countr_zero(static_cast<unsigned>(group)) : -1};
}

namespace detail {

template<class T>
inline constexpr bool is_operand = false;
template<span Span, class View>
inline constexpr bool is_operand<operand<Span, View>> = true;

template<class T>
concept parameter_argument = std::is_arithmetic_v<T> || is_operand<T>;

/// A number becomes a `constant`; operands stay.
template<parameter_argument T>
[[nodiscard]] constexpr auto to_parameter(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
        return constant{static_cast<float>(value)};
    } else {
        return value;
    }
}

template<class T>
using parameter_of = decltype(to_parameter(std::declval<const T&>()));

/// Shows a parameter's tensor to `visit`; a constant has none.
template<class Visit, class Parameter>
constexpr void visit_parameter(Visit&& visit, const char* name, const Parameter& parameter) {
    if constexpr (is_operand<Parameter>) visit(name, parameter, access::read);
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
