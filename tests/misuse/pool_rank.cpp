// expect: r9v: a pool takes maps of rank 4
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/pool.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 4> map,
             r9v::tensor<r9v::half, 4> y) {
    (void)x;
    (void)map;
    return max_pool(x, {.window = 2}) | // instead: return max_pool(map, {.window = 2}) |
           r9v::store(y);
}
