// expect: r9v: per_group() takes a tensor of rank 2 [rows, groups], 3 [batches, rows, groups] or 4
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const auto op = r9v::scale(per_group(b, 32)); // misuse
    // instead: const auto op = r9v::scale(per_group(y, 32));
    return gemm(x, w) | op | r9v::store(y);
}
