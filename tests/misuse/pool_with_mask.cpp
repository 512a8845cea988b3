// expect: r9v: a pool has no scores to mask.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/ops/mask.hpp>
#include <r9v/pool.hpp>

auto program(r9v::tensor<r9v::half, 4> map, r9v::tensor<r9v::half, 4> y) {
    return average_pool(map | r9v::causal(r9v::top_left), // instead: return average_pool(map,
                        {.window = 2}) |
           r9v::store(y);
}
