// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The geometry of a convolution in words: what slides over what.
#pragma once

#include <r9v/ops/window.hpp>

namespace r9v::inline R9V_ABI {

/// How a filter slides over a map: `conv2d(x, f, {.stride = 2, .pad = 1})`. Distances in pixels.
struct convolution {
    size_pair stride = 1;
    size_pair dilation = 1;
    padding pad = 0;
    int groups = 1; ///< output channels see only the input channels of their own group
    friend constexpr bool operator==(const convolution&, const convolution&) = default;
};

} // namespace r9v::inline R9V_ABI
