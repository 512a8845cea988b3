// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The geometry of a pool in words.
#pragma once

#include <r9v/ops/window.hpp>

namespace r9v::inline R9V_ABI {

/// How a window slides over a map: `max_pool(x, {.window = 3, .stride = 2, .pad = 1})`. Distances
/// in pixels. The padding never wins a maximum.
struct pooling {
    size_pair window;
    size_pair stride = 1;
    size_pair dilation = 1;
    padding pad = 0;
    friend constexpr bool operator==(const pooling&, const pooling&) = default;
};

} // namespace r9v::inline R9V_ABI
