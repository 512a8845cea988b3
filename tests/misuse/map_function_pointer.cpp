// expect: r9v: map() cannot take a function pointer
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

inline float twice(float v) {
    return v + v;
}

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const auto called = [](float v) {
        return twice(v);
    };
    return gemm(x, w) | r9v::map(&twice) | // instead: return gemm(x, w) | r9v::map(called) |
           r9v::store(y);
}
