// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Copies in plain loops and double, through the same op objects: the truth of every test.
#pragma once

#include <r9v/kernels/copy/problem.hpp>

namespace r9v::inline R9V_ABI {

/// Runs a checked and bound copy on host views.
template<class Head, class Chain>
    requires is_copy_head<Head>
void run_reference(const program<Head, Chain>& p) {
    constexpr reference_math math{};
    const extents size = p.head.result();
    const operand<span::matrix, typename Head::view_type> x{p.head.x.view};
    typename states_of<reference_math, Chain>::type states{};
    reset_taps<tap_scope::tensor>(p.chain, states);
    const auto copy_row = [&](coordinate at) {
        reset_taps<tap_scope::row>(p.chain, states);
        for (index_t column = 0; column < size.columns; ++column) {
            at.column_base = column;
            const auto value =
                r9v::transform(math, p.head.x.prologue, at, x.template load<1>(math, at));
            evaluate(math, p.chain, states, at, value);
        }
        at.column_base = 0;
        for_each_tap<tap_scope::row>(p.chain, states, [&](const auto& op, double state, int) {
            op.commit(math, state, at);
        });
    };
    for (index_t batch = 0; batch < size.batches; ++batch)
        for (index_t head = 0; head < size.heads; ++head)
            for (index_t row = 0; row < size.rows; ++row)
                copy_row({.batch_base = batch, .row_base = row, .head_base = head});
    for_each_tap<tap_scope::tensor>(p.chain, states, [&](const auto& op, double state, int) {
        op.commit(math, state, coordinate{});
    });
}

} // namespace r9v::inline R9V_ABI
