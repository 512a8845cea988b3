// expect: r9v: attention() takes tensors.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return attention(q, k, k.data) | // instead: return attention(q, k, k) |
           store(o);
}
