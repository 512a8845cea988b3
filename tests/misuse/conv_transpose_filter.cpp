// expect: r9v: a transposed convolution takes a filter of its own.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 4> x, r9v::half* w, r9v::tensor<r9v::half, 4> y) {
    return conv_transpose2d(x, r9v::filter(w, {8, 2, 2, 8}), {.stride = 2}) | // instead: return conv_transpose2d(x, r9v::transposed_filter(w, {8, 2, 2, 8}), {.stride = 2}) |
           store(y);
}
