// expect: r9v: attention() takes tensors of rank 4 [batch, head, row, dim].
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<r9v::half, 3> v) {
    return attention(q, k, v) | // instead: return attention(q, k, k) |
           store(o);
}
