// expect: r9v: slots do not say which positions tokens have.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/cache.hpp>

auto program(r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> cache, r9v::tensor<int, 1> slots,
             r9v::tensor<int, 1> positions) {
    return append_key_value(k, k, r9v::rotary({.theta = 10000})) | // instead: return append_key_value(k, k, r9v::rotary(positions, {.theta = 10000})) |
           store(cache_slots(cache, cache, slots));
}
