// expect: r9v: add_mask() takes a tensor of rank 2
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o,
             r9v::tensor<float, 1> mask, r9v::tensor<float, 2> rows) {
    const auto scores =
        r9v::scale(0.125f) | r9v::add_mask(mask); // instead: r9v::scale(0.125f) | r9v::add_mask(rows);
    return attention(q, k, k, scores) | r9v::store(o);
}
