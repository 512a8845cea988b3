// expect: r9v: a row program takes a tensor
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> y) {
    return r9v::softmax(0.5f) | r9v::store(y); // instead: return r9v::softmax(x) | r9v::store(y);
}
