// expect: r9v: head dims are multiples of 8.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return r9v::attention<100>(q, k, k) | // instead: return r9v::attention<104>(q, k, k) |
           store(o);
}
