// expect: r9v: a convolution takes packed weights.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 4> x, r9v::half* w, r9v::tensor<r9v::half, 4> y) {
    return conv2d(x, r9v::transposed_filter(w, {8, 2, 2, 8})) | // instead: return conv2d(x, r9v::filter(w, {8, 2, 2, 8})) |
           store(y);
}
