// expect: r9v: the program stores nothing. End it with | store(tensor).
// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <r9v/gemm.hpp>

void misuse(r9v::host_tensor<r9v::half, 2> x, r9v::host_tensor<r9v::half, 2> w) {
    r9v::launch(r9v::reference, r9v::gemm(x, w) | r9v::relu());
}
