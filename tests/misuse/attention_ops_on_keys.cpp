// expect: r9v: keys and values are read as they are.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return attention(q, k | r9v::scale(2.0f), k) | // instead: return attention(q | r9v::scale(2.0f), k, k) |
           store(o);
}
