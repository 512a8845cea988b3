// expect: r9v: a bare tensor does not say what it goes along. Write sink(per_head(t))
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o,
             r9v::tensor<float, 1> sinks) {
    const auto scores =
        r9v::scale(0.125f) | r9v::sink(sinks); // instead: r9v::scale(0.125f) | r9v::sink(per_head(sinks));
    return attention(q, k, k, scores) | r9v::store(o);
}
