// expect: r9v: behind max_pool({...}) only maps, operands, quantize(), tee() and store() may follow.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 4> x, const r9v::half* f, r9v::tensor<r9v::half, 4> y,
             r9v::tensor<float, 3> sums) {
    return conv2d(x, r9v::stem_filter(f, {64, 3, 3, 3})) |
           r9v::max_pool({.window = 2, .stride = 2}) |
           r9v::sum_rows(sums) | // misuse
           r9v::store(y);
}
