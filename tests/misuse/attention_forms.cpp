// expect: r9v: k and v stand in different forms.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<std::int32_t, 1> lengths) {
    return attention(q, with_lengths(k, lengths), k) | // instead: return attention(q, k, k) |
           store(o);
}
