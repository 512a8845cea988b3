// expect: r9v: masks and sinks belong to a softmax.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> y) {
    return layer_norm(x | r9v::causal(r9v::top_left)) | // instead: return layer_norm(x) |
           r9v::store(y);
}
