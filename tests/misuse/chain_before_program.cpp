// expect: r9v: this is not an op. Write map(functor) for a lambda or functor, or give your struct a static member `role` and one function over a run.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/r9v.hpp>

using namespace r9v;

void f(host_tensor<half, 2> x, host_tensor<half, 2> w, host_tensor<half, 2> y) {
    launch(reference, relu() | gemm(x, w) | store(y)); // instead: launch(reference, gemm(x, w) | relu() | store(y));
}
