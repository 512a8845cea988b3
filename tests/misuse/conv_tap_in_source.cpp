// expect: r9v: a convolution loads its map more than once, so nothing can be written on
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program(tensor<half, 4> x, [[maybe_unused]] tensor<half, 4> t, packed_filter<half, space::device> f, tensor<half, 4> y) {
    return conv2d(x | tee(t), f) | store(y); // instead: return conv2d(x | relu(), f) | store(y);
}
