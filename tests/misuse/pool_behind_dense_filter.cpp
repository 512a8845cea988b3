// expect: r9v: max_pool({...}) in a chain pools only stem convolutions
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 4> x, const r9v::half* f, r9v::tensor<r9v::half, 4> y) {
    return conv2d(x, r9v::filter(f, {64, 3, 3, 64})) | // instead: return conv2d(x, r9v::stem_filter(f, {64, 3, 3, 3})) |
           r9v::max_pool({.window = 2, .stride = 2}) | r9v::store(y);
}
