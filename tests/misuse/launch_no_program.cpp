// expect: r9v: this is not a program. Write launch(where, gemm(x, w) | ... | store(y)).
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/r9v.hpp>

using namespace r9v;

void f(host_tensor<half, 2> x, [[maybe_unused]] host_tensor<half, 2> w,
       [[maybe_unused]] host_tensor<half, 2> y) {
    launch(reference, x | relu()); // instead: launch(reference, gemm(x | relu(), w) | store(y));
}
