// expect: r9v: attention reads rows of contiguous elements.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return attention(q, transposed(k), k) | // instead: return attention(q, k, k) |
           store(o);
}
