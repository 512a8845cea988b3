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
    mask,     ///< selects which scores count; before a softmax, behind everything else
    sink,     ///< a logit that joins a softmax's sum and nothing else
    each,     ///< one op for each of the two results of `both`
    gate,     ///< the two results of `both` to one
    pool,     ///< the values under a window to one; see pool.hpp
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

/// What a head may know about each row besides its results.
enum class row_statistic {
    log_sum_exp,       ///< natural logarithm of the sum of exponentials; -inf where nothing is kept
    maximum,           ///< the largest value that entered the softmax
    mean,              ///< of the values that entered the norm
    inverse_deviation, ///< 1 / sqrt(variance + epsilon), or 1 / sqrt(mean square + epsilon)
};

/// An op whose result the launch fills first, since it is gathered from all values.
template<class T>
inline constexpr bool accumulates = stateful_tap<T> || requires { requires T::accumulates; };

/// An op that writes a statistic of the head; it sees no values.
template<class T>
concept takes_statistic = any_op<T> && requires {
    { T::statistic } -> std::convertible_to<row_statistic>;
};

/// An op that needs a row of results at once instead of runs.
template<class T>
concept takes_whole_row = any_op<T> && requires { requires T::needs_whole_row; };

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
