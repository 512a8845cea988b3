// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One fused GEMM as a layer uses it, with the tiles that it instantiates by default.
#include <r9v/gemm.hpp>

using matrix = r9v::tensor<r9v::half, 2>;
using vector = r9v::tensor<r9v::half, 1>;

r9v::status layer(hipStream_t s, matrix x, matrix w, vector b, matrix skip, matrix y);

r9v::status layer(hipStream_t s, matrix x, matrix w, vector b, matrix skip, matrix y) {
    return r9v::try_launch(s, r9v::gemm(x, w) | r9v::bias(b) | r9v::residual(skip) | r9v::silu() |
                                  r9v::store(y));
}
