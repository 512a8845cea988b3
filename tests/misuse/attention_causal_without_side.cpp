// expect: r9v: causal() does not say where the diagonal lies
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return attention(q, k, k, r9v::causal()) | // instead: return attention(q, k, k, r9v::causal(r9v::bottom_right)) |
           store(o);
}
