// expect: r9v: this head does not compute that row statistic.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<float, 1> s, r9v::tensor<r9v::half, 2> y) {
    return rms_norm(x) | r9v::mean_rows(s) | // instead: return layer_norm(x) | r9v::mean_rows(s) |
           r9v::store(y);
}
