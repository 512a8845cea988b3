// expect: r9v: keep_if() cannot take a function pointer
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

R9V_HD bool near_enough(r9v::index_t, r9v::index_t, r9v::index_t query, r9v::index_t key) {
    return query - key < 9;
}

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o) {
    const auto near =
        r9v::keep_if(near_enough); // instead: r9v::keep_if([](auto... at) { return near_enough(at...); });
    return attention(q, k, k, near) | r9v::store(o);
}
