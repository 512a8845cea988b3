// expect: r9v: host and device tensors are mixed in one op.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const r9v::host_tensor<float, 1> on_host{};
    const auto op = r9v::scale_shift(b, on_host); // misuse
    // instead: const auto op = r9v::scale_shift(b, b);
    return gemm(x, w) | op | r9v::store(y);
}
