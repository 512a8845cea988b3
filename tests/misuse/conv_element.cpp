// expect: r9v: there is no convolution for this element type. Use half (_Float16, __half)
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program([[maybe_unused]] tensor<half, 4> x, [[maybe_unused]] tensor<float, 4> floats, [[maybe_unused]] half* weights,
             [[maybe_unused]] float* wide, tensor<half, 4> y) {
    return conv2d(floats, filter(wide, {1, 1, 1, 1})) | store(y); // instead: return conv2d(x, filter(weights, {1, 1, 1, 1})) | store(y);
}
