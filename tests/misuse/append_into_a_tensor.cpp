// expect: r9v: append_key_value() goes straight into a cache.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/cache.hpp>

auto program(r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> cache, r9v::tensor<int, 1> lengths) {
    return append_key_value(k, k, r9v::rotary({.theta = 10000})) |
           r9v::store(cache); // instead: store(cache_rows(cache, cache, lengths));
}
