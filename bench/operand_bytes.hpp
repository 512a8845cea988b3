// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The bytes of a program's operands, each read or written once: what a perfect cache would leave.
#pragma once

#include <r9v/ops/grammar.hpp>

#include <algorithm>

namespace bench {

/// Adds up elements; also the visitor of visit_operands().
struct byte_sum {
    double bytes = 0;

    template<r9v::any_tensor View>
    void add(const View& view) {
        bytes += static_cast<double>(view.size()) * sizeof(typename View::value_type);
    }
    /// Queries, keys or values: of a cache in pages, what its sequences may hold.
    template<class Sequences>
        requires requires(const Sequences& s) { s.longest(); }
    void add(const Sequences& s) {
        const r9v::index_t held = s.sequences() * s.longest() * s.heads() * s.dim();
        bytes += static_cast<double>(std::min(s.view.size(), held)) *
                 sizeof(typename Sequences::element);
    }
    template<class Operand>
    void operator()(const char*, const Operand& operand, r9v::access) {
        add(operand.view);
    }
};

template<class Head, class Chain>
[[nodiscard]] double operand_bytes(const r9v::program<Head, Chain>& p) {
    byte_sum sum;
    r9v::visit_operands(p.chain, sum);
    const Head& head = p.head;
    if constexpr (requires { head.q.rows; }) { // attention
        sum.add(head.q.rows);
        sum.add(head.k);
        sum.add(head.v);
        r9v::visit_operands(head.q.prologue, sum);
        r9v::visit_operands(head.scores, sum);
    } else if constexpr (requires { head.k; }) { // append_key_value: the cache's rows too
        sum.add(head.k);
        sum.add(head.v);
        sum.add(head.k);
        sum.add(head.v);
    } else if constexpr (r9v::any_tensor<decltype(Head::x)>) { // rotate
        sum.add(head.x);
    } else {
        sum.add(head.x.view);
        r9v::visit_operands(head.x.prologue, sum);
        if constexpr (requires { head.w; }) { // gemm
            sum.add(head.first_weights());
            if constexpr (Head::results == 2) sum.add(head.second_weights());
        }
        if constexpr (requires { head.f.elements(); }) // convolutions
            sum.bytes += static_cast<double>(head.f.elements()) * sizeof(typename Head::element);
    }
    return sum.bytes;
}

} // namespace bench
