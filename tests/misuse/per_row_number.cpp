// expect: r9v: per_tensor(), per_head(), per_row(), per_column() and per_group() take tensors.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const auto op = r9v::scale(r9v::per_row(2.0f)); // instead: const auto op = r9v::scale(2.0f);
    return gemm(x, w) | op | r9v::store(y);
}
