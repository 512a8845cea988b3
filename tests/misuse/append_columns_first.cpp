// expect: r9v: rows of heads are contiguous.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/cache.hpp>

auto program(r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> cache, r9v::tensor<int, 1> slots) {
    return append_key_value(transposed(k), k) | // instead: return append_key_value(k, k) |
           store(cache_slots(cache, cache, slots));
}
