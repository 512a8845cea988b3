// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a launch does to a program before it runs: ops that want to know the result's extents are
// told, and the memory that taps accumulate into is listed so that it can be filled first.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/ops/bind.hpp>
#include <r9v/ops/grammar.hpp>
#include <r9v/ops/operand.hpp>
#include <r9v/tensor/region.hpp>

#include <cinttypes>
#include <cstddef>
#include <utility>

namespace r9v::inline R9V_ABI::exec {

/// A copy of the program whose ops know the extents of the result.
template<class Head, class Chain>
[[nodiscard]] program<Head, Chain> bound(program<Head, Chain> p, const extents& result) {
    r9v::bind(p.chain, result); // qualified: functors bring std::bind
    return p;
}

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
        // The two axes by distance; directions do not matter, and an axis of one has none.
        index_t extents[2] = {to.extents[1], to.extents[2]};
        index_t steps[2] = {};
        for (int axis = 0; axis < 2; ++axis)
            if (extents[axis] > 1) steps[axis] = r9v::detail::distance_of(to.strides[axis + 1]);
        if (steps[0] < steps[1]) {
            std::swap(steps[0], steps[1]);
            std::swap(extents[0], extents[1]);
        }
        index_t width = to.element;
        if (extents[1] == 1 || steps[1] == width) {
            width *= extents[1];
        } else if (steps[0] == steps[1] * extents[1]) { // evenly spaced
            extents[0] *= extents[1];
            steps[0] = steps[1];
        } else {
            outcome = error{"r9v: %s is strided along both of its axes. Make its last axis "
                            "contiguous.",
                            name};
            return;
        }
        fills[count++] = {reinterpret_cast<void*>(to.begin()), static_cast<std::size_t>(steps[0]),
                          static_cast<std::size_t>(width), static_cast<std::size_t>(extents[0]),
                          byte};
    }
};

namespace detail {

template<class Op>
struct fill_collector {
    fill_list& list;
    template<span Span, class View>
    void operator()(const char* name, const operand<Span, View>& o, access how) const {
        if (how != access::accumulate) return;
        if constexpr (View::rank <= 2) {
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
