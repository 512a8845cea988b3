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

    template<int Width, class Math>
    R9V_HD run<typename Math::real, Width> load(Math, const coordinate&) const {
        return broadcast<Width>(static_cast<typename Math::real>(value));
    }
};

namespace detail {

enum class parameter_tensor { right, not_a_tensor, wrong_rank };

template<class View, int Lowest, int Highest>
consteval parameter_tensor judge_parameter() {
    if constexpr (!any_tensor<View>) {
        return parameter_tensor::not_a_tensor;
    } else if constexpr (View::rank < Lowest || View::rank > Highest) {
        return parameter_tensor::wrong_rank;
    } else {
        return parameter_tensor::right;
    }
}

/// The operand, or a number in its place where the tensor was refused.
template<span Span, parameter_tensor Judged, class View>
[[nodiscard]] constexpr auto parameter_along(const View& values, int group_shift = 0) {
    static_assert(Judged != parameter_tensor::not_a_tensor,
                  "r9v: per_tensor(), per_head(), per_row(), per_column() and per_group() take "
                  "tensors. Write the number itself, as in scale(0.5f).");
    if constexpr (Judged == parameter_tensor::right) {
        return operand<Span, View>{values, group_shift};
    } else {
        return constant{};
    }
}

} // namespace detail

/// One number in device memory, read by the kernel: `per_tensor(t)`, t of rank 1 and extent 1.
template<class View>
[[nodiscard]] constexpr auto per_tensor(const View& values) {
    constexpr auto judged = detail::judge_parameter<View, 1, 1>();
    static_assert(judged != detail::parameter_tensor::wrong_rank,
                  "r9v: per_tensor() takes a tensor of rank 1 with one element. Write per_row(t) "
                  "or per_column(t) for more.");
    return detail::parameter_along<span::scalar, judged>(values);
}

/// One number per head of the result: rank 1 [heads], or rank 2 [batches, heads]. For programs that
/// have heads: attention, and row programs of rank 4.
template<class View>
[[nodiscard]] constexpr auto per_head(const View& values) {
    constexpr auto judged = detail::judge_parameter<View, 1, 2>();
    static_assert(judged != detail::parameter_tensor::wrong_rank,
                  "r9v: per_head() takes a tensor of rank 1 [heads] or 2 [batches, heads]. Pass "
                  "one value per head.");
    return detail::parameter_along<span::head, judged>(values);
}

/// One number per row of the result: rank 1 [rows], 2 [batches, rows] or 3 [batches, heads, rows].
template<class View>
[[nodiscard]] constexpr auto per_row(const View& values) {
    constexpr auto judged = detail::judge_parameter<View, 1, 3>();
    static_assert(
        judged != detail::parameter_tensor::wrong_rank,
        "r9v: per_row() takes a tensor of rank 1 [rows], 2 [batches, rows] or 3 [batches, "
        "heads, rows]. Pass one value per row.");
    return detail::parameter_along<span::row, judged>(values);
}

/// One number per column of the result: rank 1 [columns], or rank 2 [batches, columns].
template<class View>
[[nodiscard]] constexpr auto per_column(const View& values) {
    constexpr auto judged = detail::judge_parameter<View, 1, 2>();
    static_assert(judged != detail::parameter_tensor::wrong_rank,
                  "r9v: per_column() takes a tensor of rank 1 [columns] or 2 [batches, columns]. "
                  "Pass one value per column.");
    return detail::parameter_along<span::column, judged>(values);
}

/// One number per row and group of `group` neighbouring columns: rank 2 [rows, columns / group],
/// rounded up, 3 with batches in front, or 4 with batches and heads. `group` is a power of two, 8
/// or more; launch refuses others.
template<class View>
[[nodiscard]] constexpr auto per_group(const View& values, int group) {
    constexpr auto judged = detail::judge_parameter<View, 2, 4>();
    static_assert(judged != detail::parameter_tensor::wrong_rank,
                  "r9v: per_group() takes a tensor of rank 2 [rows, groups], 3 [batches, rows, "
                  "groups] or 4 [batches, heads, rows, groups]. Pass one value per row and group.");
    const bool right = group >= 8 && is_power_of_two(group);
    return detail::parameter_along<span::group, judged>(
        values, right ? std::countr_zero(static_cast<unsigned>(group)) : -1);
}

namespace detail {

template<class T>
inline constexpr bool is_operand = false;
template<span Span, class View>
inline constexpr bool is_operand<operand<Span, View>> = true;

template<class T>
concept parameter_argument =
    std::is_arithmetic_v<T> || is_operand<T> || std::is_same_v<T, constant>;

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
