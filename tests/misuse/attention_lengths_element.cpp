// expect: r9v: lengths, offsets and block tables are row-major tensors of int32.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/attention.hpp>

auto program(r9v::tensor<r9v::half, 4> q, r9v::tensor<r9v::half, 4> k, r9v::tensor<r9v::half, 4> o, r9v::tensor<std::int32_t, 1> lengths,
             r9v::tensor<float, 1> wrong) {
    return attention(q, with_lengths(k, wrong), with_lengths(k, lengths)) | // instead: return attention(q, with_lengths(k, lengths), with_lengths(k, lengths)) |
           store(o);
}
