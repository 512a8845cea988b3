// expect: r9v: host and device tensors are mixed in one program.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::host_tensor<r9v::half, 4> v) {
    return attention(q, k, v) | // instead: return attention(q, k, k) |
           store(o);
}
