// expect: r9v: copy() takes a tensor, or a tensor with ops.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/copy.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> y) {
    (void)x;
    return r9v::copy(1.0f) | r9v::store(y); // instead: return copy(x) | r9v::store(y);
}
