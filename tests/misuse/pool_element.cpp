// expect: r9v: there is no pool for this element type.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/pool.hpp>

auto program(r9v::tensor<int, 4> numbers, r9v::tensor<r9v::half, 4> map,
             r9v::tensor<r9v::half, 4> y) {
    (void)numbers;
    (void)map;
    return max_pool(numbers, {.window = 2}) | // instead: return max_pool(map, {.window = 2}) |
           r9v::store(y);
}
