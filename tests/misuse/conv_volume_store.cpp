// expect: r9v: a result is a matrix.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 5> x, r9v::half* w, r9v::tensor<r9v::half, 5> y) {
    return conv3d(x, r9v::volume_filter(w, {8, 3, 3, 3, 8})) |
           store(y); // instead: store(frames(y));
}
