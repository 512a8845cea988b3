// expect: r9v: the map and the filter have different element types. Pack the filter in
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program([[maybe_unused]] tensor<half, 4> x, [[maybe_unused]] tensor<bf16, 4> b, half* weights, tensor<half, 4> y) {
    return conv2d(b, filter(weights, {1, 1, 1, 1})) | store(y); // instead: return conv2d(x, filter(weights, {1, 1, 1, 1})) | store(y);
}
