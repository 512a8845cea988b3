// expect: r9v: map() takes a trivially copyable functor
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops.hpp>

#include <vector>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> w,
             r9v::tensor<r9v::half, 2> y) {
    const std::vector<float> table{1.0f};
    const float first = table[0];
    const auto shift_by_table = [table](float v) {
        return v + table[0];
    };
    const auto shift_by_first = [first](float v) {
        return v + first;
    };
    const auto op = r9v::map(shift_by_table); // instead: const auto op = r9v::map(shift_by_first);
    return gemm(x, w) | op | r9v::store(y);
}
