// expect: r9v: a copy has no scores to mask.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/copy.hpp>
#include <r9v/ops/mask.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<r9v::half, 2> y) {
    return copy(x | r9v::causal(r9v::top_left)) | // instead: return copy(x) |
           r9v::store(y);
}
