// expect: r9v: rotate() does not say by which angles.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/cache.hpp>

auto program(r9v::tensor<r9v::half, 4> x, r9v::tensor<r9v::half, 4> y) {
    return rotate(x) | // instead: return rotate(x, r9v::rotary({.theta = 10000})) |
           store(y);
}
