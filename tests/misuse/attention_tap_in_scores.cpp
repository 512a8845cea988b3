// expect: r9v: scores take maps, operands, masks and sink().
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<float, 4> t) {
    return attention(q, k, k, r9v::scale(2.0f) | tee(t)) | // instead: return attention(q, k, k, r9v::scale(2.0f)) | tee(t) |
           store(o);
}
