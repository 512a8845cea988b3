// expect: r9v: both() takes two tensors. Write gemm(x, both(w1, w2)).
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/r9v.hpp>

using namespace r9v;

void f(host_tensor<half, 2> x, [[maybe_unused]] host_tensor<half, 2> w, host_tensor<half, 2> y) {
    launch(reference, gemm(x, both(w, 2.0f)) | swiglu() | store(y)); // instead: launch(reference, gemm(x, both(w, w)) | swiglu() | store(y));
}
