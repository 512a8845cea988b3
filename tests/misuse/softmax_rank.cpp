// expect: r9v: a row program takes a tensor of rank 1
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

auto program(r9v::tensor<r9v::half, 5> x, r9v::tensor<r9v::half, 4> folded, r9v::tensor<r9v::half, 4> y) {
    return softmax(x) | r9v::store(y); // instead: return softmax(folded) | r9v::store(y);
}
