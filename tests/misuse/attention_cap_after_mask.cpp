// expect: r9v: masks and sinks come last.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return attention(q, k, k,
                     r9v::causal(r9v::top_left) | r9v::soft_cap(30.0f)) | // instead: r9v::soft_cap(30.0f) | r9v::causal(r9v::top_left)) |
           store(o);
}
