// expect: r9v: unknown element type.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const r9v::tensor<double, 1> wide{};
    const auto op = r9v::scale(per_row(wide)); // instead: const auto op = r9v::scale(per_row(b));
    return gemm(x, w) | op | r9v::store(y);
}
