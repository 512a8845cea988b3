// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a row program must fulfil at run time, checked before anything is launched or written.
#pragma once

#include <r9v/kernels/rows/problem.hpp>
#include <r9v/ops/tensor_checks.hpp>

namespace r9v::inline R9V_ABI {

/// Whether a row program may run: extents, layouts, pointers, overlaps.
template<class Head, class Chain>
    requires is_row_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    detail::tensor_checks checks{p.head.result()};
    checks.input("x", p.head.x.view);
    visit_operands(p.chain, checks);
    checks.begin_prologue(p.head.source_extents());
    visit_operands(p.head.x.prologue, checks);
    checks.check_overlap();
    return checks.outcome();
}

} // namespace r9v::inline R9V_ABI
