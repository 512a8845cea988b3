// expect: r9v: a gate needs two results.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const auto op = r9v::each(r9v::relu(), r9v::silu()); // instead: const auto op = r9v::silu();
    return gemm(x, w) | op | r9v::store(y);
}
