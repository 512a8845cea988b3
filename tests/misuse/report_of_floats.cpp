// expect: r9v: find_nonfinite() takes a report of one 64-bit number.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w, r9v::tensor<float, 1> b,
             r9v::tensor<r9v::half, 2> y) {
    const r9v::tensor<std::uint64_t, 1> report{};
    const auto op = r9v::find_nonfinite(b); // instead: const auto op = r9v::find_nonfinite(report);
    return gemm(x, w) | op | r9v::store(y);
}
