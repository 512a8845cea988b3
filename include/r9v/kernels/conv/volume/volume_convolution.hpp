// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The geometry of a convolution over volumes, in words.
#pragma once

#include <r9v/core/config.hpp>

namespace r9v::inline R9V_ABI {

/// Three sizes, of depth, height and width; one number stands for all.
struct size_triple {
    int depth = 1;
    int height = 1;
    int width = 1;

    constexpr size_triple(int all) // NOLINT(google-explicit-*)
        : depth{all},
          height{all},
          width{all} {}
    constexpr size_triple(int of_depth, int of_height, int of_width)
        : depth{of_depth},
          height{of_height},
          width{of_width} {}
    friend constexpr bool operator==(const size_triple&, const size_triple&) = default;
};

/// Frames, rows and columns of zeros around a volume: one number for all sides, three for depth,
/// height and width, six for each side.
struct volume_padding {
    int front = 0;
    int back = 0;
    int top = 0;
    int bottom = 0;
    int left = 0;
    int right = 0;

    constexpr volume_padding(int all)
        : volume_padding{all, all, all} {} // NOLINT(google-explicit-*)
    constexpr volume_padding(int depth, int height, int width)
        : volume_padding{depth, depth, height, height, width, width} {}
    constexpr volume_padding(int of_front, int of_back, int of_top, int of_bottom, int of_left,
                             int of_right)
        : front{of_front},
          back{of_back},
          top{of_top},
          bottom{of_bottom},
          left{of_left},
          right{of_right} {}
    friend constexpr bool operator==(const volume_padding&, const volume_padding&) = default;
};

/// How a filter slides over a volume: `conv3d(x, f, {.stride = {1, 2, 2}, .pad = 1})`. Distances in
/// pixels and frames.
struct volume_convolution {
    size_triple stride = 1;
    size_triple dilation = 1;
    volume_padding pad = 0;
    int groups = 1; ///< output channels see only the input channels of their own group
    friend constexpr bool operator==(const volume_convolution&,
                                     const volume_convolution&) = default;
};

} // namespace r9v::inline R9V_ABI
