// expect: r9v: a convolution takes packed weights. Call pack_filter() once and pass
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program(tensor<half, 4> x, tensor<half, 4> w, tensor<half, 4> y) {
    return conv2d(x, w) | store(y); // instead: return conv2d(x, filter(w.data, {1, 1, 1, 1})) | store(y);
}
