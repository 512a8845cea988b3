// expect: r9v: ops on q are maps and operands.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return attention(q | r9v::causal(r9v::top_left), k, k) | // instead: return attention(q, k, k, r9v::causal(r9v::top_left)) |
           store(o);
}
