// expect: r9v: store_upsampled() writes maps.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/copy.hpp>

auto program(r9v::tensor<r9v::half, 4> x, r9v::tensor<r9v::half, 3> sequence,
             r9v::tensor<r9v::half, 4> y) {
    (void)sequence;
    (void)y;
    return copy(x) |
           r9v::store_upsampled(sequence); // instead: r9v::store_upsampled(y);
}
