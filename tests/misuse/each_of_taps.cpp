// expect: r9v: each() takes maps and operands.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, both(w, w)) |
           r9v::each(r9v::tee(y), r9v::relu()) | // instead: r9v::each(r9v::abs(), r9v::relu()) |
           r9v::glu() | r9v::store(y);
}
