// expect: r9v: quantize<T>() does not know this type.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) |
           r9v::quantize<double>(0.1f, 0) | // instead: r9v::quantize<std::int8_t>(0.1f, 0) |
           r9v::store(y);
}
