// expect: r9v: optional() takes an op with a tensor that may be null.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const auto op = r9v::optional(r9v::silu()); // misuse
    // instead: const auto op = r9v::optional(r9v::bias(b));
    return gemm(x, w) | op | r9v::store(y);
}
