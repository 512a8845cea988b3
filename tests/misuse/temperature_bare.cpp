// expect: r9v: a bare tensor does not say what it goes along.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<float, 1> t, r9v::tensor<r9v::half, 2> y) {
    return softmax(x | r9v::temperature(t)) | // instead: return softmax(x | r9v::temperature(per_row(t))) |
           r9v::store(y);
}
