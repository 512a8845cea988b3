// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Roles: what an op does to the values that pass through it. Rules are about roles, never about
// single ops, so a user's op obeys the same rules as ours.
#pragma once

#include <r9v/tensor/tensor.hpp>

#include <concepts>
#include <type_traits>

namespace r9v::inline R9V_ABI {

enum class role {
    map,      ///< a run to a run, from the values and the position alone
    operand,  ///< a run to a run, reading tensors
    each,     ///< one op for each of the two results of `both`
    gate,     ///< the two results of `both` to one
    quantize, ///< to the grid of a narrow type; only taps and stores may follow
    tap,      ///< sees the values and does not change them
    store,    ///< writes the values; ends the program
};

/// An op: a trivially copyable struct with a static member `role` and one function over a run.
template<class T>
concept any_op = requires {
    { T::role } -> std::convertible_to<role>;
};

/// An op that keeps a state over many runs (a row or a tensor) and writes it once.
template<class T>
concept stateful_tap = any_op<T> && requires { T::scope; };

/// Stands in for an op that was refused, so that one mistake gives one error.
struct rejected {
    static constexpr auto role = r9v::role::map;
    template<class Math, class Run>
    R9V_HD Run operator()(Math, const Run& x, auto&&...) const {
        return x;
    }
};

template<class T>
inline constexpr bool is_rejected = std::is_same_v<T, rejected>;

namespace detail {

template<class Op>
concept knows_its_memory = requires {
    { Op::memory } -> std::convertible_to<space>;
};

} // namespace detail

/// Which memory the tensors of an op are in; `space::none` for ops without tensors.
template<class Op>
inline constexpr space memory_of = [] {
    if constexpr (detail::knows_its_memory<Op>) {
        return Op::memory;
    } else {
        return space::none;
    }
}();

/// Whether an op or source of memory `a` may stand in a program with one of memory `b`.
constexpr bool same_memory(space a, space b) {
    return a == space::none || b == space::none || a == b;
}

constexpr space joined_memory(space a, space b) {
    return a == space::none ? b : a;
}

} // namespace r9v::inline R9V_ABI
