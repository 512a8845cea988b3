// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A program whose kernels only one translation unit compiles.
#pragma once

#include <r9v/r9v.hpp>

namespace r9v_test {

using matrix = r9v::tensor<r9v::half, 2>;
using vector = r9v::tensor<r9v::half, 1>;

inline auto shared_layer(const matrix& x, const matrix& w, const vector& b, const matrix& y) {
    return r9v::gemm(x, w) | r9v::bias(b) | r9v::silu() | r9v::store(y);
}

using shared_layer_type = decltype(shared_layer(matrix{}, matrix{}, vector{}, matrix{}));

/// Launches the program in a unit that compiles no kernel of its own.
void launch_elsewhere(hipStream_t s, const matrix& x, const matrix& w, const vector& b,
                      const matrix& y);

} // namespace r9v_test

R9V_DECLARE_PROGRAM(r9v_test::shared_layer_type);
