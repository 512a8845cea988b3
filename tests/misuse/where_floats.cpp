// expect: r9v: where() takes a tensor of bool or 8-bit integers
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o,
             r9v::tensor<float, 2> mask) {
    const auto scores =
        r9v::scale(0.125f) | r9v::where(mask); // instead: r9v::scale(0.125f) | r9v::add_mask(mask);
    return attention(q, k, k, scores) | r9v::store(o);
}
