// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// softmax(x), log_softmax(x), log_sum_exp(x) and everything that such a program needs: ops, masks,
// tensors, launch.
#pragma once

#include <r9v/kernels/rows/family.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/ops/mask.hpp>
#include <r9v/ops/sink.hpp>
#include <r9v/ops/statistic.hpp>
#include <r9v/ops/temperature.hpp>
#include <r9v/ops/top_k.hpp>
#include <r9v/tensor.hpp>

namespace r9v::inline R9V_ABI {

/// exp(x - m) / s along the last axis, m the largest x that counts and s the sum of exp(x - m).
/// x: a tensor of rank 1 [columns] to 4 [batches, heads, rows, columns], or a tensor with ops,
/// masks and a sink; any other axis is a transposed view. What does not count (masked, or -inf)
/// gives 0, and a row without anything that counts gives zeros; NaN or +inf makes its row NaN.
template<class Input>
[[nodiscard]] constexpr auto softmax(const Input& x) {
    return detail::row_program(x, row_softmax{});
}

/// x - m - log(s), as above; -inf where x does not count.
template<class Input>
[[nodiscard]] constexpr auto log_softmax(const Input& x) {
    return detail::row_program(x, row_log_softmax{});
}

/// m + log(s), as above: one column a row, stored into [.., rows, 1]; -inf where nothing counts.
template<class Input>
[[nodiscard]] constexpr auto log_sum_exp(const Input& x) {
    return detail::row_program(x, row_log_sum_exp{});
}

} // namespace r9v::inline R9V_ABI
