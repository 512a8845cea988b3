// expect: r9v: max_pool({...}) in a chain pools only stem convolutions
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/gemm.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) | r9v::relu() | r9v::max_pool({.window = 3}) | // misuse
           r9v::store(y);
}
