// expect: r9v: keep_if() takes a trivially copyable functor
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

#include <vector>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k,
             r9v::tensor<r9v::half, 4> o,
             std::vector<int> documents) {
    const auto count = static_cast<r9v::index_t>(documents.size());
    const auto near =
        r9v::keep_if([documents](auto, auto, auto, auto key) { return key < r9v::index_t(documents.size()); }); // instead: r9v::keep_if([count](auto, auto, auto, auto key) { return key < count; });
    return attention(q, k, k, near) | r9v::store(o);
}
