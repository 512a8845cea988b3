// expect: r9v: this is not a parameter.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) | r9v::scale("half") | // instead: return gemm(x, w) | r9v::scale(0.5) |
           r9v::store(y);
}
