// expect: r9v: the op cannot be called with (math, run, coordinate)
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

struct plus_one {
    static constexpr auto role = r9v::role::map;
    float operator()(float x) const { return x + 1; }
};

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) | plus_one{} | // instead: return gemm(x, w) | r9v::add(1) |
           r9v::store(y);
}
