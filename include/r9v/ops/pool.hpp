// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A pool in a chain: the values in front of it never reach memory.
#pragma once

#include <r9v/ops/pooling.hpp>
#include <r9v/ops/role.hpp>

namespace r9v::inline R9V_ABI {

/// Only heads that declare `fuses_pool` take it: their kernels read `how`, it is never called.
struct max_pool_op {
    static constexpr auto role = r9v::role::pool;
    static constexpr bool sees_position = false;
    pooling how;
};

/// `conv2d(x, stem_filter(...), {...}) | relu() | max_pool({.window = 3, .stride = 2, .pad = 1}) |
/// store(y)`: the largest value under a window over the convolution's result, rounded to the map's
/// type. Ops in front of it see the convolution's pixels, ops behind it the pooled ones. Padding
/// never wins; NaN does.
[[nodiscard]] constexpr max_pool_op max_pool(const pooling& how) {
    return {how};
}

} // namespace r9v::inline R9V_ABI
