// expect: r9v: conv3d() takes volumes of rank 5 [batch, depth, height, width, channels].
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

auto program(r9v::tensor<r9v::half, 4> x, r9v::tensor<r9v::half, 5> volume, r9v::half* w, r9v::tensor<r9v::half, 5> y) {
    (void)volume;
    return conv3d(x, r9v::volume_filter(w, {8, 3, 3, 3, 8})) | // instead: return conv3d(volume, r9v::volume_filter(w, {8, 3, 3, 3, 8})) |
           store(frames(y));
}
