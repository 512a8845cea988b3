// expect: r9v: unknown element type.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const r9v::tensor<double, 2> wide{};
    return gemm(x, w) | r9v::store(wide); // instead: return gemm(x, w) | r9v::store(y);
}
