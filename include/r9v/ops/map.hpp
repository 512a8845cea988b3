// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The user's own function of a value as an op.
#pragma once

#include <r9v/ops/role.hpp>
#include <r9v/ops/run.hpp>

#include <type_traits>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class Function>
inline constexpr bool maps_value = std::is_invocable_r_v<float, const Function&, float>;
template<class Function>
inline constexpr bool maps_value_at =
    std::is_invocable_r_v<float, const Function&, float, const coordinate&>;

} // namespace detail

/// f(x), or f(x, position of x). In the reference a function that gives a double for a double gets
/// doubles, so a generic one is judged in full precision; any other gets floats, as on a device.
template<class Function>
struct map_op {
    static constexpr auto role = r9v::role::map;
    Function function;

    template<class Math, int Width>
    [[nodiscard]] R9V_HD run<typename Math::real, Width>
    operator()(Math, run<typename Math::real, Width> x, const coordinate& at) const {
        R9V_UNROLL
        for (int i = 0; i < Width; ++i) {
            if constexpr (detail::maps_value<Function>) {
                x[i] = apply(x[i]);
            } else {
                coordinate here = at;
                here.column_offset += i;
                x[i] = apply(x[i], here);
            }
        }
        return x;
    }

private:
    template<class Real, class... Position>
    [[nodiscard]] R9V_HD Real apply(Real x, const Position&... at) const {
        using result = std::invoke_result_t<const Function&, Real, const Position&...>;
        if constexpr (std::is_same_v<result, Real>) {
            return function(x, at...);
        } else {
            return static_cast<Real>(function(static_cast<float>(x), at...));
        }
    }
};

/// `function(float) -> float` or `function(float, r9v::coordinate) -> float`, a lambda or functor
/// that can be called on the device. What it captures travels as bytes.
template<class Function>
[[nodiscard]] constexpr auto map(const Function& function) {
    constexpr bool is_function = std::is_function_v<std::remove_pointer_t<Function>>;
    constexpr bool is_callable = detail::maps_value<Function> || detail::maps_value_at<Function>;
    constexpr bool travels = std::is_trivially_copyable_v<Function>;
    static_assert(!is_function, "r9v: map() cannot take a function pointer, which leads nowhere on "
                                "the device. Write map([](float x) { return f(x); }).");
    static_assert(is_function || is_callable,
                  "r9v: map() takes a function of a value. Write a lambda or functor that can be "
                  "called as const with (float), or with (float, r9v::coordinate), and gives a "
                  "float.");
    static_assert(is_function || !is_callable || travels,
                  "r9v: map() takes a trivially copyable functor, since it travels to the device "
                  "as bytes. Capture numbers and tensors (views), not containers.");
    if constexpr (!is_function && is_callable && travels) {
        return map_op<Function>{function};
    } else {
        return rejected{};
    }
}

} // namespace r9v::inline R9V_ABI
