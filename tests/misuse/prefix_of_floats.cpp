// expect: r9v: prefix() takes a length.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o,
             r9v::tensor<float, 1> broken, r9v::tensor<int, 1> lengths) {
    const auto scores =
        r9v::scale(0.125f) | r9v::prefix(broken); // instead: r9v::scale(0.125f) | r9v::prefix(lengths);
    return attention(q, k, k, scores) | r9v::store(o);
}
