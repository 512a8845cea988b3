// expect: r9v: keep_if() takes a function of a score's position.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o) {
    const auto near =
        r9v::keep_if([](r9v::index_t query, r9v::index_t key) { return query - key < 9; }); // instead: r9v::keep_if([](r9v::index_t, r9v::index_t, r9v::index_t query, r9v::index_t key) { return query - key < 9; });
    return attention(q, k, k, near) | r9v::store(o);
}
