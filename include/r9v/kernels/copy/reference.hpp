// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Copies in plain loops and double, through the same op objects: the truth of every test.
#pragma once

#include <r9v/kernels/copy/problem.hpp>
#include <r9v/kernels/reference_chain.hpp>

namespace r9v::inline R9V_ABI {

/// Runs a checked and bound copy on host views.
template<class Head, class Chain>
    requires is_copy_head<Head>
void run_reference(const program<Head, Chain>& p) {
    constexpr reference_math math{};
    const operand<span::matrix, typename Head::view_type> x{p.head.x.view};
    detail::run_chain_over(p, [&](const coordinate& at) {
        return r9v::transform(math, p.head.x.prologue, at, x.template load<1>(math, at))[0];
    });
}

} // namespace r9v::inline R9V_ABI
