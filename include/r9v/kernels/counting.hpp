// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Counts that kernels keep in 31 bits, and what a launch holds. Host code.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace r9v::inline R9V_ABI::detail {

inline constexpr index_t most_counted = std::numeric_limits<std::int32_t>::max();
/// Of 256 lanes each: a launch has fewer than 2^32.
inline constexpr index_t most_blocks = (index_t{1} << 24) - 1;

/// The product, or one more than the most that is counted.
[[nodiscard]] constexpr index_t counted(index_t a, index_t b) {
    return b != 0 && a > most_counted / b ? most_counted + 1 : a * b;
}
/// Divides by a count, of which 0 and too many are refused elsewhere.
[[nodiscard]] constexpr tile::divisor count_divisor(index_t n) {
    return tile::divisor{static_cast<std::uint32_t>(std::clamp<index_t>(n, 1, most_counted))};
}

} // namespace r9v::inline R9V_ABI::detail
