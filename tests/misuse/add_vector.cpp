// expect: r9v: this op takes a matrix, a tensor of rank 2 [rows, columns]
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) | r9v::add(b) | // instead: return gemm(x, w) | r9v::bias(b) |
           r9v::store(y);
}
