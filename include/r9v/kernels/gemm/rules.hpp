// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a GEMM program must fulfil at run time, checked before anything is launched or written.
#pragma once

#include <r9v/kernels/gemm/problem.hpp>
#include <r9v/ops/tensor_checks.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

template<class Head>
[[nodiscard]] status check_gemm_extents(const Head& head) noexcept {
    const auto& x = head.x.view;
    const auto& w = head.first_weights();
    if (extent_from_last(x, 0) != extent_from_last(w, 0))
        return error{"r9v: x has %" PRId64 " columns (k) but the weights have %" PRId64 ". Both "
                     "need the same k; pass transposed(w) for a weight stored [k, n].",
                     extent_from_last(x, 0), extent_from_last(w, 0)};
    const index_t x_batches = batch_extent(x);
    const index_t w_batches = batch_extent(w);
    const bool shared = Head::x_view::rank == 2 || Head::w_view::rank == 2;
    if (!shared && x_batches != w_batches)
        return error{"r9v: x has %" PRId64 " batches but the weights have %" PRId64 ". Give both "
                     "the same, or pass one of them with rank 2 to share it.",
                     x_batches, w_batches};
    if constexpr (Head::results == 2) {
        for (int axis = 0; axis < Head::w_view::rank; ++axis) {
            if (head.w.first.extents[axis] != head.w.second.extents[axis])
                return error{"r9v: the two weights of both() differ in axis %d (%" PRId64
                             " and %" PRId64 "). Give both the same extents.",
                             axis, head.w.first.extents[axis], head.w.second.extents[axis]};
        }
    }
    return {};
}

/// What the prologue's operands follow: rows and columns of x.
template<class Head>
[[nodiscard]] constexpr extents source_extents(const Head& head) {
    return {head.result().batches, head.result().rows, head.inner()};
}

} // namespace detail

/// Whether a GEMM program may run: extents, layouts, pointers, overlaps.
template<class Head, class Chain>
    requires is_gemm_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    if (const status extents_fit = detail::check_gemm_extents(p.head); !extents_fit)
        return extents_fit;
    detail::tensor_checks checks{p.head.result()};
    checks.input("x", p.head.x.view);
    if constexpr (Head::results == 2) {
        checks.input("the first weight", p.head.w.first);
        checks.input("the second weight", p.head.w.second);
    } else {
        checks.input("the weight", p.head.w);
    }
    visit_operands(p.chain, checks);
    checks.begin_prologue(detail::source_extents(p.head));
    visit_operands(p.head.x.prologue, checks);
    checks.check_overlap();
    return checks.outcome();
}

} // namespace r9v::inline R9V_ABI
