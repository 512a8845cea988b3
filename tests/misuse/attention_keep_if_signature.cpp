// expect: r9v: keep_if() takes a function of a score's position.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    const auto of_two = [](r9v::index_t query, r9v::index_t key) { return query == key; };
    const auto of_four = [](r9v::index_t, r9v::index_t, r9v::index_t query, r9v::index_t key) {
        return query == key;
    };
    return attention(q, k, k, r9v::keep_if(of_two)) | // instead: return attention(q, k, k, r9v::keep_if(of_four)) |
           store(o);
}
