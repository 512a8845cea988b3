// expect: r9v: a mask stands behind the head
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return attention(q, k, k) |
           r9v::causal(r9v::top_left) | // misuse
           store(o);
}
