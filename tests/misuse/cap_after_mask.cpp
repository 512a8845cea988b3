// expect: r9v: masks and sinks come last.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o) {
    const auto scores =
        r9v::scale(0.125f) | r9v::causal(r9v::bottom_right) | r9v::soft_cap(30.0f); // instead: r9v::scale(0.125f) | r9v::soft_cap(30.0f) | r9v::causal(r9v::bottom_right);
    return attention(q, k, k, scores) | r9v::store(o);
}
