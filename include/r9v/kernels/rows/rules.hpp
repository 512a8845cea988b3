// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a row program must fulfil at run time, checked before anything is launched or written.
#pragma once

#include <r9v/kernels/rows/problem.hpp>
#include <r9v/ops/tensor_checks.hpp>
#include <r9v/ops/top_k.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// Shows the operands of a chain to `checks`; those of top_k(), whose columns are places, as ones
/// of the extents [.., rows, k].
template<class... Ops>
void check_chain(const chain<Ops...>& ops, const extents& result, tensor_checks& checks) {
    for_each(ops.ops, [&](const auto& op) {
        using op_type = std::remove_cvref_t<decltype(op)>;
        if constexpr (takes_whole_row<op_type>) {
            if (op.k < 1 || op.k > op_type::most || op.k > result.columns)
                checks.fail(error{"r9v: top_k() gives 1 to %d of the row's values and no more than "
                                  "it has (%" PRId64 "), not %d. Pass a k within.",
                                  op_type::most, result.columns, op.k});
            extents places = result;
            places.columns = op.k;
            checks.begin_prologue(places);
        }
        if constexpr (requires { op.visit_operands(checks); }) op.visit_operands(checks);
    });
}

/// Whether a prologue writes memory that it reads: it can run once only.
struct written_and_read {
    static constexpr int capacity = 16;
    region written[capacity];
    region read[capacity];
    int writes = 0;
    int reads = 0;

    template<span Span, class View>
    void operator()(const char*, const operand<Span, View>& o, access how) {
        if (how == access::read) {
            if (reads < capacity) read[reads++] = region_of(o.view);
        } else {
            if (writes < capacity) written[writes++] = region_of(o.view);
        }
    }
    [[nodiscard]] bool meet() const {
        for (int i = 0; i < writes; ++i)
            for (int j = 0; j < reads; ++j)
                if (overlap(written[i], read[j])) return true;
        return false;
    }
};

/// Whether the source of a row program may be loaded a second time.
template<class Head>
[[nodiscard]] bool may_load_again(const Head& head) {
    if constexpr (!Head::prologue_type::has_tap) {
        return true;
    } else {
        written_and_read memory;
        memory("x", operand<span::matrix, typename Head::view_type>{head.x.view}, access::read);
        visit_operands(head.x.prologue, memory);
        return !memory.meet();
    }
}

} // namespace detail

/// Whether a row program may run: extents, layouts, pointers, overlaps. The results may go where
/// the source or a matrix of the prologue is, element for element.
template<class Head, class Chain>
    requires is_row_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    const extents result = p.head.result();
    detail::tensor_checks checks{p.head.source_extents()};
    if constexpr (Head::gives_whole_rows && !Chain::has_row_op) {
        checks("x", operand<span::matrix, typename Head::view_type>{p.head.x.view}, access::read);
        visit_operands(p.head.x.prologue, checks);
        visit_operands(p.chain, checks);
    } else {
        checks.begin_prologue(p.head.source_extents());
        checks.input("x", p.head.x.view);
        visit_operands(p.head.x.prologue, checks);
        checks.begin_prologue(result);
        detail::check_chain(p.chain, result, checks);
    }
    checks.check_overlap();
    return checks.outcome();
}

} // namespace r9v::inline R9V_ABI
