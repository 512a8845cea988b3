// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Two values as one: what an activation's curve computes on, so that its additions and
// multiplications become dual instructions. A curve takes it for a number.
#pragma once

#include <r9v/arch/select.hpp>

#include <concepts>

namespace r9v::inline R9V_ABI::tile {

struct pair {
    arch::floats2 values;

    R9V_INLINE explicit pair(arch::floats2 v) : values{v} {}
    R9V_INLINE pair(float first, float second) : values{first, second} {}
    /// A number, in both places.
    template<class T>
        requires std::is_arithmetic_v<T>
    R9V_INLINE explicit pair(T both) : values{static_cast<float>(both), static_cast<float>(both)} {}

    R9V_INLINE friend pair operator+(pair a, pair b) { return pair{a.values + b.values}; }
    R9V_INLINE friend pair operator-(pair a, pair b) { return pair{a.values - b.values}; }
    R9V_INLINE friend pair operator*(pair a, pair b) { return pair{a.values * b.values}; }
    R9V_INLINE friend pair operator/(pair a, pair b) { return pair{a.values / b.values}; }
    R9V_INLINE friend pair operator-(pair a) { return pair{-a.values}; }

    struct mask {
        bool first;
        bool second;
    };
    R9V_INLINE friend mask operator>(pair a, pair b) {
        return {a.values[0] > b.values[0], a.values[1] > b.values[1]};
    }
    R9V_INLINE friend mask operator<(pair a, pair b) { return b > a; }
};

/// `function(value...)` for both places.
template<class Function, std::same_as<pair>... Pairs>
[[nodiscard]] R9V_INLINE pair for_both(Function function, Pairs... pairs) {
    return {function(pairs.values[0]...), function(pairs.values[1]...)};
}

} // namespace r9v::inline R9V_ABI::tile
