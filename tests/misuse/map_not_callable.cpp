// expect: r9v: map() takes a function of a value.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const auto of_pointer = [](float* v) {
        return *v;
    };
    const auto of_value = [](float v) {
        return v;
    };
    return gemm(x, w) | r9v::map(of_pointer) | // instead: return gemm(x, w) | r9v::map(of_value) |
           r9v::store(y);
}
