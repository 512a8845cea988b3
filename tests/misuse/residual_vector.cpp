// expect: r9v: residual() takes a tensor of rank 2 [rows, columns], 3
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) | r9v::residual(b) | // instead: return gemm(x, w) | r9v::residual(y) |
           r9v::store(y);
}
