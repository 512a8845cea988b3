// expect: r9v: host and device memory are mixed in one program. Use tensor and filter()
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program(tensor<half, 4> x, half* weights, tensor<half, 4> y) {
    return conv2d(x, host_filter(weights, {1, 1, 1, 1})) | store(y); // instead: return conv2d(x, filter(weights, {1, 1, 1, 1})) | store(y);
}
