// expect: r9v: a pool loads its map more than once
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/pool.hpp>

auto program(r9v::tensor<r9v::half, 4> map, r9v::tensor<r9v::half, 4> y) {
    return chained_max_pool(map | r9v::tee(y), // instead: return chained_max_pool(map,
                            {.window = 5}) |
           r9v::store(y);
}
