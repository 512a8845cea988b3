// expect: r9v: an op must be trivially copyable
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

#include <vector>

struct table_op {
    static constexpr auto role = r9v::role::map;
    std::vector<float> table;
    template<class Math, class Run>
    Run operator()(Math, Run x, r9v::coordinate) const {
        return x;
    }
};

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    return gemm(x, w) | table_op{} | // instead: return gemm(x, w) | r9v::silu() |
           r9v::store(y);
}
