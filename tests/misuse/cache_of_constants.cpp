// expect: r9v: the cache's elements are const.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/cache.hpp>

auto program(r9v::tensor<r9v::half, 4> k, r9v::tensor<const r9v::half, 4> cache, r9v::tensor<r9v::half, 4> writable,
             r9v::tensor<int, 1> slots) {
    return append_key_value(k, k) |
           store(cache_slots(cache, cache, slots)); // instead: store(cache_slots(writable, writable, slots));
}
