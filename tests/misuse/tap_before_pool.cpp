// expect: r9v: pixels in front of max_pool({...}) may be computed twice
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 4> x, const r9v::half* f, r9v::tensor<r9v::half, 4> y) {
    return conv2d(x, r9v::stem_filter(f, {64, 3, 3, 3})) | r9v::relu() |
           r9v::tee(y) | // misuse
           r9v::max_pool({.window = 2, .stride = 2}) | r9v::store(y);
}
