// expect: r9v: this head does not compute that row statistic.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<float, 3> mean) {
    return attention(q, k, k) |
           mean_rows(mean) | // instead: log_sum_exp_rows(mean) |
           store(o);
}
