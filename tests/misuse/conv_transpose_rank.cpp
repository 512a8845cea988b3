// expect: r9v: conv_transpose2d() takes maps of rank 4 [batch, height, width, channels].
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 3> x, r9v::half* w, r9v::tensor<r9v::half, 3> y) {
    return conv_transpose2d(x, r9v::transposed_filter(w, {8, 1, 2, 8}), {.stride = 2}) | // instead: return conv_transpose1d(x, r9v::transposed_filter(w, {8, 1, 2, 8}), {.stride = 2}) |
           store(y);
}
