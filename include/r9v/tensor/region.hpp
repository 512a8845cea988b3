// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The memory that a view covers, and whether two views share any of it.
#pragma once

#include <r9v/tensor/tensor.hpp>

#include <cstdint>
#include <initializer_list>

namespace r9v::inline R9V_ABI {

namespace detail {

/// A view without its type: addresses, extents and strides in bytes, up to five axes, outer first.
struct region {
    static constexpr int axes = 5;
    std::uint64_t base = 0;
    index_t element = 0; ///< bytes
    index_t extents[axes] = {1, 1, 1, 1, 1};
    index_t strides[axes] = {0, 0, 0, 0, 0};

    [[nodiscard]] constexpr bool empty() const {
        for (const index_t extent : extents)
            if (extent <= 0) return true;
        return false;
    }
    /// First and one past the last byte.
    [[nodiscard]] constexpr std::uint64_t begin() const { return base - reach(-1); }
    [[nodiscard]] constexpr std::uint64_t end() const {
        return base + reach(1) + static_cast<std::uint64_t>(element);
    }

private:
    [[nodiscard]] constexpr std::uint64_t reach(int sign) const {
        std::uint64_t bytes = 0;
        for (int axis = 0; axis < axes; ++axis) {
            const index_t step = strides[axis] * sign;
            if (step > 0)
                bytes += static_cast<std::uint64_t>(step) *
                         static_cast<std::uint64_t>(extents[axis] - 1);
        }
        return bytes;
    }
};

template<any_tensor View>
[[nodiscard]] region region_of(const View& view) {
    static_assert(View::rank <= region::axes);
    region covered;
    covered.base = reinterpret_cast<std::uint64_t>(view.data);
    covered.element = static_cast<index_t>(sizeof(typename View::value_type));
    for (int axis = 0; axis < View::rank; ++axis) {
        const int place = region::axes - View::rank + axis;
        covered.extents[place] = view.extents[axis];
        covered.strides[place] = view.strides[axis] * covered.element;
    }
    return covered;
}

/// The first axis from `axis` on that has more (or less) than one position.
[[nodiscard]] constexpr int next_axis(const region& r, int axis) {
    while (axis < region::axes && r.extents[axis] == 1)
        ++axis;
    return axis;
}

/// Whether both name the same elements in the same order. Axes of one position do not matter.
[[nodiscard]] constexpr bool same_elements(const region& a, const region& b) {
    if (a.base != b.base || a.element != b.element) return false;
    int of_a = next_axis(a, 0);
    int of_b = next_axis(b, 0);
    while (of_a < region::axes && of_b < region::axes) {
        if (a.extents[of_a] != b.extents[of_b] || a.strides[of_a] != b.strides[of_b]) return false;
        of_a = next_axis(a, of_a + 1);
        of_b = next_axis(b, of_b + 1);
    }
    return of_a == of_b;
}

constexpr index_t distance_of(index_t stride) {
    return stride < 0 ? -stride : stride;
}

/// Bytes that a region covers modulo a period: `width` from `from` on, or everything (-1).
struct window {
    index_t from = 0;
    index_t width = -1;
};

/// Axes whose strides are multiples of the period repeat the window of the others.
[[nodiscard]] constexpr window window_of(const region& r, index_t period) {
    region once = r;
    index_t width = r.element;
    for (int axis = 0; axis < region::axes; ++axis) {
        if (r.extents[axis] > 1 && r.strides[axis] % period == 0) once.extents[axis] = 1;
        const index_t step = distance_of(r.strides[axis]);
        if (step != 0 && once.extents[axis] - 1 > period / step) return {};
        width += step * (once.extents[axis] - 1);
    }
    if (width > period) return {};
    return {static_cast<index_t>(once.begin() % static_cast<std::uint64_t>(period)), width};
}

/// Parts of one larger tensor (columns of a concatenation, heads, interleaved batches) are disjoint
/// although their addresses interleave, where some stride is a period of both and their windows
/// within it do not meet.
[[nodiscard]] constexpr bool disjoint_within(const region& a, const region& b, index_t period) {
    if (period <= 0) return false;
    // Periods need not divide 2^64, so addresses are compared from a common start.
    region near_a = a;
    region near_b = b;
    const std::uint64_t start = a.begin() < b.begin() ? a.begin() : b.begin();
    near_a.base -= start;
    near_b.base -= start;
    const window first = window_of(near_a, period);
    const window second = window_of(near_b, period);
    if (first.width < 0 || second.width < 0) return false;
    const index_t away =
        second.from >= first.from ? second.from - first.from : period - (first.from - second.from);
    return away >= first.width && away + second.width <= period;
}

[[nodiscard]] constexpr bool interleaves(const region& a, const region& b) {
    for (const region* r : {&a, &b})
        for (int axis = 0; axis < region::axes; ++axis)
            if (r->extents[axis] > 1 && disjoint_within(a, b, distance_of(r->strides[axis])))
                return true;
    return false;
}

/// Whether some byte belongs to both. Views that interleave in other ways than parts of one larger
/// tensor count as overlapping.
[[nodiscard]] constexpr bool overlap(const region& a, const region& b) {
    if (a.empty() || b.empty()) return false;
    if (a.end() <= b.begin() || b.end() <= a.begin()) return false;
    return !interleaves(a, b);
}

/// Whether two positions of the view name the same element (a stride of 0, or too short a stride).
[[nodiscard]] constexpr bool overlaps_itself(const region& r) {
    if (r.empty()) return false;
    index_t covered = r.element;
    bool done[region::axes] = {};
    for (int round = 0; round < region::axes; ++round) { // axes by ascending stride
        int next = -1;
        for (int axis = 0; axis < region::axes; ++axis) {
            if (!done[axis] &&
                (next < 0 || distance_of(r.strides[axis]) < distance_of(r.strides[next])))
                next = axis;
        }
        done[next] = true;
        if (r.extents[next] <= 1) continue;
        const index_t stride = distance_of(r.strides[next]);
        if (stride < covered) return true;
        covered += stride * (r.extents[next] - 1);
    }
    return false;
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
