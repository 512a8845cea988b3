// expect: r9v: a block table has rank 2 [sequences, most pages]
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<std::int32_t, 2> table,
             r9v::tensor<std::int32_t, 1> lengths) {
    const auto right = paged(k, table, lengths);
    return attention(q, paged(k, lengths, lengths), right) | // instead: return attention(q, right, right) |
           store(o);
}
