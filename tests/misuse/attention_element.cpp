// expect: r9v: attention() has no kernel for this element type.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<float, 4> f) {
    return attention(f, k, k) | // instead: return attention(q, k, k) |
           store(o);
}
