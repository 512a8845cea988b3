// expect: r9v: rotate() gathers no statistics.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/cache.hpp>

void program(r9v::host_tensor<r9v::half, 4> q, r9v::host_tensor<float, 2> largest) {
    launch(r9v::reference, rotate(q, r9v::rotary({.theta = 10000})) |
           r9v::absmax_rows(largest) | // misuse
           r9v::store(q));
}
