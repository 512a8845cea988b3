// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// rms_norm(x) and layer_norm(x) and everything that such a program needs: ops, tensors, launch.
// Weights are ops behind them: `rms_norm(x) | mul(per_column(w))`, `layer_norm(x) |
// scale_shift(gamma, beta)`.
#pragma once

#include <r9v/kernels/rows/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/ops/statistic.hpp>
#include <r9v/tensor.hpp>

namespace r9v::inline R9V_ABI {

/// What is added to the mean square or the variance, so that a row of equal values has a norm.
struct norm_options {
    float epsilon = 1e-5f;
};

/// x / sqrt(mean of x^2 + epsilon) along the last axis. x: a tensor of rank 1 [columns] to 4
/// [batches, heads, rows, columns], or a tensor with ops; any other axis is a transposed view.
template<class Input>
[[nodiscard]] constexpr auto rms_norm(const Input& x, const norm_options& options = {}) {
    return detail::row_program(x, row_rms_norm{options.epsilon});
}

/// (x - mean) / sqrt(variance + epsilon), as above; the variance is that of the row itself (divided
/// by its length).
template<class Input>
[[nodiscard]] constexpr auto layer_norm(const Input& x, const norm_options& options = {}) {
    return detail::row_program(x, row_layer_norm{options.epsilon});
}

} // namespace r9v::inline R9V_ABI
