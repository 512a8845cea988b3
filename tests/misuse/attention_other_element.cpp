// expect: r9v: q, k and v have different element types.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<r9v::bf16, 4> v) {
    return attention(q, k, v) | // instead: return attention(q, k, k) |
           store(o);
}
