// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a copy must fulfil at run time, checked before anything is launched or written.
#pragma once

#include <r9v/kernels/copy/problem.hpp>
#include <r9v/ops/tensor_checks.hpp>

namespace r9v::inline R9V_ABI {

/// Whether a copy may run: extents, layouts, pointers, overlaps. It may store where x or a matrix
/// of the ops is, element for element.
template<class Head, class Chain>
    requires is_copy_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    detail::tensor_checks checks{p.head.result()};
    checks("x", operand<span::matrix, typename Head::view_type>{p.head.x.view}, access::read);
    visit_operands(p.head.x.prologue, checks);
    visit_operands(p.chain, checks);
    checks.check_overlap();
    return checks.outcome();
}

} // namespace r9v::inline R9V_ABI
