// expect: r9v: conv1d() takes sequences of rank 3 [batch, length, channels]. Pass
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/conv.hpp>

using namespace r9v;

auto program([[maybe_unused]] tensor<half, 4> x, [[maybe_unused]] tensor<half, 3> one, packed_filter<half, space::device> f, tensor<half, 3> y) {
    return conv1d(x, f) | store(y); // instead: return conv1d(one, f) | store(y);
}
