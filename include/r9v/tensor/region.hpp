// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The memory that a view covers, and whether two views share any of it.
#pragma once

#include <r9v/tensor/tensor.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI {

namespace detail {

/// A view without its type: addresses, extents and strides in bytes, up to three axes, outer first.
struct region {
    static constexpr int axes = 3;
    std::uint64_t base = 0;
    index_t element = 0; ///< bytes
    index_t extents[axes] = {1, 1, 1};
    index_t strides[axes] = {0, 0, 0};

    [[nodiscard]] constexpr bool empty() const {
        return extents[0] <= 0 || extents[1] <= 0 || extents[2] <= 0;
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

/// Whether both name the same elements in the same order.
[[nodiscard]] constexpr bool same_elements(const region& a, const region& b) {
    if (a.base != b.base || a.element != b.element) return false;
    for (int axis = 0; axis < region::axes; ++axis) {
        if (a.extents[axis] != b.extents[axis]) return false;
        if (a.extents[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
    }
    return true;
}

/// Two windows of columns of one wider matrix (a concatenation) are disjoint although the
/// addresses interleave: both repeat with the same row pitch, and within it they do not meet.
[[nodiscard]] constexpr bool disjoint_columns(const region& a, const region& b) {
    const auto pitch = [](const region& r) {
        return r.extents[1] > 1 ? r.strides[1] : r.extents[0] > 1 ? r.strides[0] : index_t{0};
    };
    const index_t rows = pitch(a) != 0 ? pitch(a) : pitch(b);
    if (rows <= 0) return false;
    const auto fits = [rows](const region& r) {
        return r.strides[2] >= 0 && (r.extents[1] <= 1 || r.strides[1] == rows) &&
               (r.extents[0] <= 1 || r.strides[0] % rows == 0);
    };
    if (!fits(a) || !fits(b)) return false;
    const auto width = [](const region& r) { return r.strides[2] * (r.extents[2] - 1) + r.element; };
    const auto distance = static_cast<index_t>((b.base - a.base) % static_cast<std::uint64_t>(rows));
    const index_t away = b.base >= a.base
                           ? distance
                           : rows - static_cast<index_t>((a.base - b.base) %
                                                       static_cast<std::uint64_t>(rows));
    return away % rows >= width(a) && away % rows + width(b) <= rows;
}

/// Whether some byte belongs to both. Views that interleave in other ways than columns of one wider
/// matrix count as overlapping.
[[nodiscard]] constexpr bool overlap(const region& a, const region& b) {
    if (a.empty() || b.empty()) return false;
    if (a.end() <= b.begin() || b.end() <= a.begin()) return false;
    return !disjoint_columns(a, b);
}

/// Whether two positions of the view name the same element (a stride of 0, or too short a stride).
[[nodiscard]] constexpr bool overlaps_itself(const region& r) {
    if (r.empty()) return false;
    index_t covered = r.element;
    bool done[region::axes] = {};
    for (int round = 0; round < region::axes; ++round) { // axes by ascending stride
        int next = -1;
        for (int axis = 0; axis < region::axes; ++axis) {
            const auto size = [&](int i) { return r.strides[i] < 0 ? -r.strides[i] : r.strides[i]; };
            if (!done[axis] && (next < 0 || size(axis) < size(next))) next = axis;
        }
        done[next] = true;
        if (r.extents[next] <= 1) continue;
        const index_t stride = r.strides[next] < 0 ? -r.strides[next] : r.strides[next];
        if (stride < covered) return true;
        covered += stride * (r.extents[next] - 1);
    }
    return false;
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
