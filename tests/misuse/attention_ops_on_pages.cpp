// expect: r9v: keys and values are read as they are.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<std::int32_t, 1> lengths) {
    const auto limited = with_lengths(k, lengths);
    return attention(q, with_lengths(k | r9v::scale(2.0f), lengths), // instead: return attention(q, limited,
                     limited) |
           store(o);
}
