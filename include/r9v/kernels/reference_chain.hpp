// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The reference of what stands behind a head: the chain over every value of the result, in order.
#pragma once

#include <r9v/ops/grammar.hpp>

namespace r9v::inline R9V_ABI::detail {

/// Runs the chain of a program over its result, whose values are value_at(coordinate), a double.
template<class Program, class ValueAt>
void run_chain_over(const Program& p, const ValueAt& value_at) {
    constexpr reference_math math{};
    const extents size = p.head.result();
    typename states_of<reference_math, typename Program::chain_type>::type states{};
    reset_taps<tap_scope::tensor>(p.chain, states);
    const auto run_row = [&](coordinate at) {
        reset_taps<tap_scope::row>(p.chain, states);
        for (index_t column = 0; column < size.columns; ++column) {
            at.column_base = column;
            evaluate(math, p.chain, states, at, run<double, 1>{{value_at(at)}});
        }
        at.column_base = 0;
        for_each_tap<tap_scope::row>(p.chain, states, [&](const auto& op, double state, int) {
            op.commit(math, state, at);
        });
    };
    for (index_t batch = 0; batch < size.batches; ++batch)
        for (index_t head = 0; head < size.heads; ++head)
            for (index_t row = 0; row < size.rows; ++row)
                run_row({.batch_base = batch, .row_base = row, .head_base = head});
    for_each_tap<tap_scope::tensor>(p.chain, states, [&](const auto& op, double state, int) {
        op.commit(math, state, coordinate{});
    });
}

} // namespace r9v::inline R9V_ABI::detail
