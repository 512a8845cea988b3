// expect: r9v: positions are whole numbers.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/cache.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<float, 1> broken, r9v::tensor<int, 1> positions) {
    return rotate(q, r9v::rotary(broken, {.theta = 10000})) | // instead: return rotate(q, r9v::rotary(positions, {.theta = 10000})) |
           r9v::store(q);
}
