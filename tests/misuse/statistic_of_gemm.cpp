// expect: r9v: this head does not compute that row statistic.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> t,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) | r9v::mean_rows(t) | // instead: return gemm(x, w) | r9v::sum_rows(t) |
           r9v::store(y);
}
