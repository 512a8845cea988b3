// expect: r9v: a prologue takes maps, operands, masks and tee().
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x | r9v::swiglu(), w) | // instead: return gemm(x | r9v::silu(), w) |
           r9v::store(y);
}
