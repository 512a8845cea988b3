// expect: r9v: gemm() loads x more than once, so nothing can be written on the way.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const auto fragment = r9v::silu() | r9v::tee(y); // instead: const auto fragment = r9v::silu();
    return gemm(x | fragment, w) | r9v::store(y);
}
