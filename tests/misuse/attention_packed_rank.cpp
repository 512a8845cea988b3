// expect: r9v: packed() takes a tensor of rank 3 [head, total, dim].
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<r9v::half, 3> t,
             r9v::tensor<std::int32_t, 1> offsets) {
    return attention(packed(q, offsets, 9), // instead: return attention(packed(t, offsets, 9),
                     packed(t, offsets, 9), packed(t, offsets, 9)) |
           store(o);
}
