// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The geometry of a transposed convolution in words.
#pragma once

#include <r9v/ops/window.hpp>

namespace r9v::inline R9V_ABI {

/// How a transposed convolution spreads a map: `conv_transpose2d(x, f, {.stride = 2, .pad = 1})`.
/// Distances in pixels of the result; the names mean what they mean in PyTorch.
struct transposed_convolution {
    size_pair stride = 1;
    size_pair dilation = 1;
    padding pad = 0;          ///< rows and columns that the result loses at each side
    size_pair output_pad = 0; ///< and that it has more at the bottom and at the right
    int groups = 1;           ///< output channels see only the input channels of their own group
    friend constexpr bool operator==(const transposed_convolution&,
                                     const transposed_convolution&) = default;
};

/// Extent of the result along an axis of `size`: (size - 1) * stride - pads +
/// (filter - 1) * dilation + output_pad + 1; 0 where nothing is left.
[[nodiscard]] R9V_HD constexpr index_t transposed_extent(index_t size, index_t filter, int stride,
                                                         int dilation, int pad_before,
                                                         int pad_after, int output_pad = 0) {
    const index_t whole = (size - 1) * stride + (filter - 1) * dilation + output_pad + 1;
    const index_t left = whole - pad_before - pad_after;
    return size < 1 || left < 0 ? 0 : left;
}

} // namespace r9v::inline R9V_ABI
