// expect: r9v: attention has kernels for head dims up to 256.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o) {
    return r9v::attention<128, 512>(q, k, k) | // instead: return r9v::attention<128, 256>(q, k, k) |
           store(o);
}
