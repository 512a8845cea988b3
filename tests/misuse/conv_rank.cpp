// expect: r9v: conv2d() takes maps of rank 4 [batch, height, width, channels]. Pass
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program([[maybe_unused]] tensor<half, 4> x, [[maybe_unused]] tensor<half, 3> one, packed_filter<half, space::device> f, tensor<half, 4> y) {
    return conv2d(one, f) | store(y); // instead: return conv2d(x, f) | store(y);
}
