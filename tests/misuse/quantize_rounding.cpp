// expect: r9v: quantize<T>() rounds in one of two ways.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const int seed = 7;
    const r9v::rounding::stochastic random{7};
    const auto op = r9v::quantize<r9v::fp8_e4m3>(0.1f, 0, seed); // misuse
    // instead: const auto op = r9v::quantize<r9v::fp8_e4m3>(0.1f, 0, random);
    return gemm(x, w) | op | r9v::store(y);
}
