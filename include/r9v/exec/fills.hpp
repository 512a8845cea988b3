// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a launch does to a program before it runs: the memory that taps accumulate into is listed so
// that it can be filled first.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/ops/grammar.hpp>
#include <r9v/ops/operand.hpp>
#include <r9v/tensor/region.hpp>

#include <cinttypes>
#include <cstddef>

namespace r9v::inline R9V_ABI::exec {

/// Bytes to set before a kernel runs: `rows` rows of `width` bytes, `pitch` bytes apart.
struct fill {
    void* data = nullptr;
    std::size_t pitch = 0;
    std::size_t width = 0;
    std::size_t rows = 0;
    int byte = 0;
};

/// The fills of a program's taps.
struct fill_list {
    static constexpr int capacity = 8;
    fill fills[capacity];
    int count = 0;
    status outcome;

    void add(const char* name, const r9v::detail::region& to, int byte) {
        if (to.empty()) return;
        if (count == capacity) {
            outcome =
                error{"r9v: a program has more than %d accumulating taps. Split it.", capacity};
            return;
        }
        // The axes by distance, far ones first; directions do not matter, and an axis of one has
        // none. Neighbours that are evenly spaced together are one axis.
        constexpr int axes = r9v::detail::region::axes;
        index_t extents[axes];
        index_t steps[axes];
        int distinct = 0;
        for (int axis = 0; axis < axes; ++axis) {
            if (to.extents[axis] == 1) continue;
            int place = distinct++;
            const index_t step = r9v::detail::distance_of(to.strides[axis]);
            for (; place > 0 && steps[place - 1] < step; --place) {
                steps[place] = steps[place - 1];
                extents[place] = extents[place - 1];
            }
            steps[place] = step;
            extents[place] = to.extents[axis];
        }
        index_t width = to.element;
        while (distinct > 0 && steps[distinct - 1] == width)
            width *= extents[--distinct];
        for (; distinct > 1 && steps[distinct - 2] == steps[distinct - 1] * extents[distinct - 1];
             --distinct) {
            extents[distinct - 2] *= extents[distinct - 1];
            steps[distinct - 2] = steps[distinct - 1];
        }
        if (distinct > 1) {
            outcome = error{"r9v: %s is strided along several of its axes. Make its last axis "
                            "contiguous.",
                            name};
            return;
        }
        const index_t rows = distinct == 0 ? 1 : extents[0];
        const index_t pitch = distinct == 0 ? width : steps[0];
        fills[count++] = {reinterpret_cast<void*>(to.begin()), static_cast<std::size_t>(pitch),
                          static_cast<std::size_t>(width), static_cast<std::size_t>(rows), byte};
    }
};

namespace detail {

template<class Op>
struct fill_collector {
    fill_list& list;
    template<span Span, class View>
    void operator()(const char* name, const operand<Span, View>& o, access how) const {
        if (how != access::accumulate) return;
        if constexpr (View::rank <= 3) {
            int byte = 0;
            if constexpr (requires { Op::initial_byte; }) byte = Op::initial_byte;
            list.add(name, r9v::detail::region_of(o.view), byte);
        }
    }
};

} // namespace detail

template<class Chain>
[[nodiscard]] fill_list fills_of(const Chain& ops) {
    fill_list list;
    for_each(ops.ops, [&](const auto& op) {
        using Op = std::remove_cvref_t<decltype(op)>;
        if constexpr (stateful_tap<Op> || Op::role == role::tap) {
            if constexpr (requires(detail::fill_collector<Op> c) { op.visit_operands(c); })
                op.visit_operands(detail::fill_collector<Op>{list});
        }
    });
    return list;
}

} // namespace r9v::inline R9V_ABI::exec
