// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which ops care where they stand beyond reading their operands there. Kernels whose rows run along
// several axes (the pixels of a map) may count them through for ops that do not.
#pragma once

#include <r9v/ops/activation.hpp>
#include <r9v/ops/arithmetic.hpp>
#include <r9v/ops/map.hpp>
#include <r9v/ops/nonfinite.hpp>
#include <r9v/ops/optional.hpp>
#include <r9v/ops/quantize.hpp>
#include <r9v/ops/store.hpp>
#include <r9v/ops/tap.hpp>

namespace r9v::inline R9V_ABI {

/// Whether `Op` looks at coordinates itself. So does every op of which nothing is known; an op that
/// does not may say `static constexpr bool sees_position = false`.
template<class Op>
inline constexpr bool sees_position = [] {
    if constexpr (requires { Op::sees_position; }) {
        return Op::sees_position;
    } else {
        return true;
    }
}();

template<class Curve>
inline constexpr bool sees_position<pointwise<Curve>> = false;
template<>
inline constexpr bool sees_position<activation_op> = false;
template<class Slope>
inline constexpr bool sees_position<prelu_op<Slope>> = false;
template<class Low, class High>
inline constexpr bool sees_position<clamp_op<Low, High>> = false;
template<class Addend, addition Name>
inline constexpr bool sees_position<add_op<Addend, Name>> = false;
template<class Factor>
inline constexpr bool sees_position<mul_op<Factor>> = false;
template<class Scale, class Shift>
inline constexpr bool sees_position<scale_shift_op<Scale, Shift>> = false;
template<class T, class Step, class ZeroPoint, class Rounding>
inline constexpr bool sees_position<quantize_op<T, Step, ZeroPoint, Rounding>> =
    std::is_same_v<Rounding, rounding::stochastic>;
template<class Step, class ZeroPoint>
inline constexpr bool sees_position<dequantize_op<Step, ZeroPoint>> = false;
template<class Function>
inline constexpr bool sees_position<map_op<Function>> = !detail::maps_value<Function>;
template<any_tensor View>
inline constexpr bool sees_position<store_op<View>> = false;
template<any_tensor View>
inline constexpr bool sees_position<tee_op<View>> = false;
template<tap_scope Scope, any_tensor View>
inline constexpr bool sees_position<absmax_op<Scope, View>> = false;
template<bool Squares, any_tensor View>
inline constexpr bool sees_position<sum_rows_op<Squares, View>> = false;
template<any_tensor View>
inline constexpr bool sees_position<find_nonfinite_op<View>> = false; // counts through as well
template<class Op>
inline constexpr bool sees_position<optional_op<Op>> = sees_position<Op>;

namespace detail {

template<class Chain>
inline constexpr bool chain_sees_position = true;
template<class... Ops>
inline constexpr bool chain_sees_position<chain<Ops...>> = (sees_position<Ops> || ...);

} // namespace detail

} // namespace r9v::inline R9V_ABI
