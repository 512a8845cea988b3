// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What op factories ask of their arguments. A factory that refuses returns `rejected`, so that the
// chain behind it stays quiet and one mistake gives one error.
#pragma once

#include <r9v/ops/parameter.hpp>
#include <r9v/ops/role.hpp>

namespace r9v::inline R9V_ABI::detail {

enum class values_rule { kept, not_a_tensor, element, rank };

/// What is wrong with a tensor that an op reads, of rank `Lowest` to `Highest`.
template<class View, int Lowest, int Highest>
consteval values_rule broken_values_rule() {
    if constexpr (!any_tensor<View>) {
        return values_rule::not_a_tensor;
    } else if constexpr (!is_element<typename View::value_type>) {
        return values_rule::element;
    } else if constexpr (View::rank < Lowest || View::rank > Highest) {
        return values_rule::rank; // its message names the op: it stands in the factory
    } else {
        return values_rule::kept;
    }
}

template<values_rule Broken>
constexpr bool report_values() {
    static_assert(Broken != values_rule::not_a_tensor,
                  "r9v: this op takes a tensor. Write bias(tensor{pointer, {columns}}), or scale() "
                  "and map() for numbers.");
    static_assert(Broken != values_rule::element,
                  "r9v: unknown element type. Use float, half, bf16, fp8_e4m3, fp8_e5m2, int8, "
                  "uint8 or int32, or an engine type with the same bits.");
    return Broken == values_rule::kept;
}

enum class parameter_rule { kept, bare_tensor, not_a_parameter, element, mixed_memory };

template<class T>
consteval parameter_rule broken_parameter_rule() {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, constant>) {
        return parameter_rule::kept;
    } else if constexpr (any_tensor<T>) {
        return parameter_rule::bare_tensor;
    } else if constexpr (!is_operand<T>) {
        return parameter_rule::not_a_parameter;
    } else if constexpr (!is_element<typename T::element>) {
        return parameter_rule::element;
    } else {
        return parameter_rule::kept;
    }
}

/// What is wrong with the parameters `First` and `Second` of one op.
template<class First, class Second = int>
consteval parameter_rule broken_parameters_rule() {
    constexpr parameter_rule first = broken_parameter_rule<First>();
    constexpr parameter_rule second = broken_parameter_rule<Second>();
    if constexpr (first != parameter_rule::kept) {
        return first;
    } else if constexpr (second != parameter_rule::kept) {
        return second;
    } else if constexpr (!same_memory(parameter_of<First>::memory, parameter_of<Second>::memory)) {
        return parameter_rule::mixed_memory;
    } else {
        return parameter_rule::kept;
    }
}

template<parameter_rule Broken>
constexpr bool report_parameters() {
    static_assert(Broken != parameter_rule::bare_tensor,
                  "r9v: a bare tensor does not say what it goes along. Write per_tensor(t), "
                  "per_row(t), per_column(t) or per_group(t, size).");
    static_assert(Broken != parameter_rule::not_a_parameter,
                  "r9v: this is not a parameter. Pass a number, or per_tensor(t), per_row(t), "
                  "per_column(t) or per_group(t, size).");
    static_assert(Broken != parameter_rule::element,
                  "r9v: unknown element type. Use float, half, bf16, fp8_e4m3, fp8_e5m2, int8, "
                  "uint8 or int32, or an engine type with the same bits.");
    static_assert(Broken != parameter_rule::mixed_memory,
                  "r9v: host and device tensors are mixed in one op. Use tensor everywhere for a "
                  "stream, host_tensor everywhere for r9v::reference.");
    return Broken == parameter_rule::kept;
}

/// An op that only knows numbers is a map, one that reads tensors an operand op.
template<class... Parameters>
inline constexpr role parameter_role = (is_operand<Parameters> || ...) ? role::operand : role::map;

/// Layers name channels by rank 1 tensors: those go along the columns, as in `bias(t)`.
template<class T>
[[nodiscard]] constexpr auto along_columns(const T& value) {
    if constexpr (any_tensor<T>) {
        if constexpr (T::rank <= 2) {
            return operand<span::column, T>{value};
        } else {
            return value;
        }
    } else {
        return value;
    }
}

template<class T>
using along_columns_of = decltype(along_columns(std::declval<const T&>()));

} // namespace r9v::inline R9V_ABI::detail
