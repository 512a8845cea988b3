// expect: r9v: queries are a tensor or packed(t, offsets, longest).
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<std::int32_t, 1> lengths) {
    return attention(with_lengths(q, lengths), k, k) | // instead: return attention(q, k, k) |
           store(o);
}
