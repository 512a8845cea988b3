// expect: r9v: top_k() needs whole rows and this head gives runs of them.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/gemm.hpp>
#include <r9v/softmax.hpp>

void run(r9v::host_tensor<r9v::half, 2> x, r9v::host_tensor<r9v::half, 2> w,
         r9v::host_tensor<r9v::half, 2> y, r9v::host_tensor<float, 2> v,
         r9v::host_tensor<std::int32_t, 2> i) {
    launch(r9v::reference, gemm(x, w) | // instead: launch(r9v::reference, gemm(x, w) |
                               r9v::top_k(8, v, i)); // instead: r9v::store(y));
    launch(r9v::reference, softmax(y) | r9v::top_k(8, v, i));
}
