// expect: r9v: the map and the filter have different element types.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 4> x, r9v::bf16* w, r9v::half* same, r9v::tensor<r9v::half, 4> y) {
    (void)same;
    return conv_transpose2d(x, r9v::transposed_filter(w, {8, 2, 2, 8})) | // instead: return conv_transpose2d(x, r9v::transposed_filter(same, {8, 2, 2, 8})) |
           store(y);
}
