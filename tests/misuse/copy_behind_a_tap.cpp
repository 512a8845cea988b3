// expect: r9v: a tap stands in front of copy().
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/copy.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> t,
             r9v::tensor<r9v::half, 2> y) {
    (void)t;
    return copy(x | r9v::tee(t)) | // instead: return copy(x) | r9v::tee(t) |
           r9v::store(y);
}
