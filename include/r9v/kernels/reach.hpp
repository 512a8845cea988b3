// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a chain's operands allow whole runs of columns: strides that a lane's 32-bit offset spans,
// and groups of columns that no run straddles. Host code.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/ops/operand.hpp>

namespace r9v::inline R9V_ABI::detail {

inline constexpr index_t lane_reach = index_t{1} << 32; ///< bytes that a lane's offset spans

constexpr index_t magnitude(index_t stride) {
    return stride < 0 ? -stride : stride;
}

/// `steps` strides of `stride` elements fit a lane's offset, with room for the rest of a slab.
constexpr bool within_reach(index_t stride, index_t steps, index_t bytes) {
    constexpr index_t room = lane_reach - (index_t{1} << 16);
    return steps <= 0 || magnitude(stride) <= room / bytes / steps;
}

/// Whether 32-bit offsets reach `rows` rows and `columns` columns of every operand of a chain.
struct reach_check {
    index_t rows;
    index_t columns;
    index_t total_columns;
    bool fits = true;

    template<span Span, class View>
    void operator()(const char*, const operand<Span, View>& o, access) {
        constexpr index_t bytes = sizeof(typename View::value_type);
        if constexpr (Span == span::row || Span == span::group || Span == span::matrix)
            step(o.row_stride(), rows, bytes);
        if constexpr (Span == span::column || Span == span::matrix)
            step(o.column_stride(), columns, bytes);
        if constexpr (Span == span::group) step(o.column_stride(), total_columns, bytes);
    }

private:
    // Each of the two axes gets half of the reach; unsigned offsets do not go backwards.
    void step(index_t stride, index_t steps, index_t bytes) {
        fits = fits && stride >= 0 && within_reach(stride, 2 * steps, bytes);
    }
};

template<class Chain>
bool is_within_reach(const Chain& ops, index_t rows, index_t columns, index_t total_columns) {
    reach_check check{rows, columns, total_columns};
    visit_operands(ops, check);
    return check.fits;
}

/// Whether some operand has one value for several neighbouring columns.
struct group_check {
    bool found = false;

    template<span Span, class View>
    void operator()(const char*, const operand<Span, View>&, access) {
        found = found || Span == span::group;
    }
};

/// Whether runs of 8 columns see one value each of operands per group of 8, 16, ... columns, if
/// they are counted anew from multiples of `step` on.
template<class Chain>
bool keeps_to_groups(const Chain& ops, index_t step) {
    group_check check;
    visit_operands(ops, check);
    return step % 8 == 0 || !check.found;
}

} // namespace r9v::inline R9V_ABI::detail
