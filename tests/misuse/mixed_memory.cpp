// expect: r9v: host and device tensors are mixed in one program.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const r9v::host_tensor<float, 1> on_host{};
    return gemm(x, w) | r9v::bias(on_host) | // instead: return gemm(x, w) | r9v::bias(b) |
           r9v::store(y);
}
