// expect: r9v: a pool takes a map.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/pool.hpp>

auto program(r9v::tensor<r9v::half, 4> map, r9v::tensor<r9v::half, 4> y) {
    (void)map;
    return r9v::global_average_pool(2) | // instead: return r9v::global_average_pool(map) |
           r9v::store(y);
}
