// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Windows that slide over maps, of filters and of pools alike.
#pragma once

#include <r9v/core/integers.hpp>

namespace r9v::inline R9V_ABI {

/// Two sizes, of height and width; one number stands for both.
struct size_pair {
    int height = 1;
    int width = 1;

    constexpr size_pair(int both) : height{both}, width{both} {} // NOLINT(google-explicit-*)
    constexpr size_pair(int of_height, int of_width) : height{of_height}, width{of_width} {}
    friend constexpr bool operator==(const size_pair&, const size_pair&) = default;
};

/// Rows and columns of zeros around the map: one number for all sides, two for height and width,
/// four for each side.
struct padding {
    int top = 0;
    int bottom = 0;
    int left = 0;
    int right = 0;

    constexpr padding(int all) // NOLINT(google-explicit-*)
        : top{all},
          bottom{all},
          left{all},
          right{all} {}
    constexpr padding(int height, int width)
        : top{height},
          bottom{height},
          left{width},
          right{width} {}
    constexpr padding(int of_top, int of_bottom, int of_left, int of_right)
        : top{of_top},
          bottom{of_bottom},
          left{of_left},
          right{of_right} {}
    friend constexpr bool operator==(const padding&, const padding&) = default;
};

/// Positions of a filter of `filter` taps along an axis of `size`: floor((size + pads -
/// (filter - 1) * dilation - 1) / stride) + 1; 0 where it does not fit.
[[nodiscard]] R9V_HD constexpr index_t convolved_extent(index_t size, index_t filter, int stride,
                                                        int dilation, int pad_before,
                                                        int pad_after) {
    const index_t room = size + pad_before + pad_after - (filter - 1) * dilation - 1;
    return room < 0 || stride < 1 ? 0 : room / stride + 1;
}

} // namespace r9v::inline R9V_ABI
