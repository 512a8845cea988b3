// expect: r9v: this is not an op.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const auto twice = [](float v) {
        return v + v;
    };
    return gemm(x, w) | twice | // instead: return gemm(x, w) | r9v::map(twice) |
           r9v::store(y);
}
