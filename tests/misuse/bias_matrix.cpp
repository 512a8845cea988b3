// expect: r9v: bias() takes a tensor of rank 1 [columns] or 2 [batches, columns].
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const r9v::tensor<float, 3> residuals{};
    return gemm(x, w) | r9v::bias(residuals) | // instead: return gemm(x, w) | r9v::bias(b) |
           r9v::store(y);
}
