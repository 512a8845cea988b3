// expect: r9v: copy() takes a tensor of rank 1 to 4.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/copy.hpp>

auto program(r9v::tensor<r9v::half, 5> x, r9v::tensor<r9v::half, 4> map,
             r9v::tensor<r9v::half, 4> y) {
    (void)x;
    (void)map;
    return copy(x) | r9v::store(y); // instead: return copy(map) | r9v::store(y);
}
