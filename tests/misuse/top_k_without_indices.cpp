// expect: r9v: top_k() has nowhere to write.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

auto program(r9v::tensor<r9v::half, 2> x, r9v::tensor<float, 2> v, r9v::tensor<std::int32_t, 2> i) {
    return softmax(x) | r9v::top_k(8, v); // instead: return softmax(x) | r9v::top_k(8, v, i);
}
