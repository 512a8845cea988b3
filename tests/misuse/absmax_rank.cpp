// expect: r9v: absmax() takes a tensor of rank 1 with one element.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const r9v::tensor<float, 2> matrix{};
    return gemm(x, w) | r9v::absmax(matrix) | // instead: return gemm(x, w) | r9v::absmax(b) |
           r9v::store(y);
}
