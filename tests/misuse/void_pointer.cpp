// expect: r9v: gemm() has no kernel for this element type. Use half (_Float16, __half) or bf16 for x and the weights.
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/r9v.hpp>

using namespace r9v;

void f(void* memory, tensor<half, 2> w, tensor<half, 2> y) {
    const tensor x{memory, {2, 3}}; // instead: const tensor x{static_cast<half*>(memory), {2, 3}};
    auto p = gemm(x, w) | relu() | store(y);
    (void)p;
}
