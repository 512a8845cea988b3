// expect: r9v: pools in a chain gather no statistics
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/pool.hpp>

void run(r9v::host_tensor<r9v::half, 4> map, r9v::host_tensor<float, 3> sums,
         r9v::host_tensor<r9v::half, 4> y) {
    (void)sums;
    launch(r9v::reference, chained_max_pool(map, {.window = 5}) |
                               r9v::sum_rows(sums) | // misuse
                               r9v::store(y));
}
