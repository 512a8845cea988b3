// expect: r9v: a convolution slides over a tensor. Write conv2d(tensor, filter) or
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program([[maybe_unused]] tensor<half, 4> x, packed_filter<half, space::device> f, tensor<half, 4> y) {
    return conv2d(3, f) | store(y); // instead: return conv2d(x, f) | store(y);
}
