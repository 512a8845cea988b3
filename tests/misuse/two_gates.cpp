// expect: r9v: a gate needs two results.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, both(w, w)) | r9v::swiglu() | r9v::glu() | // misuse
           r9v::store(y);
}
