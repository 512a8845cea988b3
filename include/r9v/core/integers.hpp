// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Integer arithmetic that every layer needs.
#pragma once

#include <r9v/core/config.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI {

/// Sizes, strides and indices are 64-bit and signed everywhere above the registers.
using index_t = std::int64_t;

/// Smallest integer not below `a / b`, for a >= 0 and b > 0.
template<class T>
[[nodiscard]] R9V_HD constexpr T ceil_div(T a, T b) {
    return static_cast<T>((a + b - 1) / b);
}

/// Smallest multiple of `b` not below `a`, for a >= 0 and b > 0.
template<class T>
[[nodiscard]] R9V_HD constexpr T align_up(T a, T b) {
    return static_cast<T>(ceil_div(a, b) * b);
}

template<class T>
[[nodiscard]] R9V_HD constexpr bool is_power_of_two(T a) {
    return a > 0 && (a & (a - 1)) == 0;
}

} // namespace r9v::inline R9V_ABI
