// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Views of views: transposes, slices, batches. Nothing moves; only pointer, extents and strides do.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/tensor/tensor.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

/// `View` with another rank and layout, over the same kind of memory.
template<class View, int Rank, layout Layout>
using view_like = std::conditional_t<View::memory == space::device,
                                     tensor<typename View::element_type, Rank, Layout>,
                                     host_tensor<typename View::element_type, Rank, Layout>>;

constexpr layout transposed_layout(layout from) {
    if (from == layout::row_major) return layout::column_major;
    if (from == layout::column_major) return layout::row_major;
    return layout::strided;
}

} // namespace detail

/// Swaps the last two axes: [.., a, b] becomes [.., b, a] over the same memory. A weight stored
/// [k, n] is passed as `transposed(w)`, since programs name weights [n, k].
template<any_tensor View>
    requires(View::rank >= 2)
[[nodiscard]] R9V_HD constexpr auto transposed(const View& from) {
    constexpr int rank = View::rank;
    detail::view_like<View, rank, detail::transposed_layout(View::element_layout)> to;
    to.data = from.data;
    for (int axis = 0; axis < rank; ++axis) {
        const int source = axis == rank - 1 ? rank - 2 : axis == rank - 2 ? rank - 1 : axis;
        to.extents[axis] = from.extents[source];
        to.strides[axis] = from.strides[source];
    }
    return to;
}

/// The same tensor as the only one of a batch: [.., rows, columns] becomes [1, .., rows, columns].
/// What packed tokens [heads, tokens, dim] need where a program names batches and heads.
template<any_tensor View>
    requires(View::rank != 1 || View::element_layout != layout::column_major)
[[nodiscard]] R9V_HD constexpr auto one_batch(const View& from) {
    constexpr int rank = View::rank + 1;
    detail::view_like<View, rank, View::element_layout> to;
    to.data = from.data;
    to.extents[0] = 1;
    to.strides[0] = from.extents[0] * from.strides[0];
    for (int axis = 1; axis < rank; ++axis) {
        to.extents[axis] = from.extents[axis - 1];
        to.strides[axis] = from.strides[axis - 1];
    }
    return to;
}

/// Heads in front of the sequence: [.., sequence, heads, dim], as projections write it, seen as
/// [.., heads, sequence, dim], the order in which programs name the axes. The last axis stays.
template<any_tensor View>
    requires(View::rank >= 3 && View::element_layout != layout::column_major)
[[nodiscard]] R9V_HD constexpr View heads_first(View from) {
    constexpr int sequence = View::rank - 3;
    const index_t extent = from.extents[sequence];
    const index_t stride = from.strides[sequence];
    from.extents[sequence] = from.extents[sequence + 1];
    from.strides[sequence] = from.strides[sequence + 1];
    from.extents[sequence + 1] = extent;
    from.strides[sequence + 1] = stride;
    return from;
}

/// Channels behind the map: [batch, channels, height, width] (or [batch, channels, length]), as
/// PyTorch stores maps and filters, seen as [batch, height, width, channels], the order in which
/// programs name the axes.
template<any_tensor View>
    requires(View::rank >= 3)
[[nodiscard]] R9V_HD constexpr auto channels_last(const View& from) {
    constexpr int rank = View::rank;
    detail::view_like<View, rank, layout::strided> to;
    to.data = from.data;
    for (int axis = 0; axis < rank; ++axis) {
        const int source = axis == 0 ? 0 : axis == rank - 1 ? 1 : axis + 1;
        to.extents[axis] = from.extents[source];
        to.strides[axis] = from.strides[source];
    }
    return to;
}

/// The frames of volumes: [batch, depth, height, width, channels] seen as [batch * depth, height,
/// width, channels], which ops and stores of conv3d() see. Throws r9v::error where volumes do not
/// follow on one another as frames do (without exceptions: prints and aborts).
template<any_tensor View>
    requires(View::rank == 5)
[[nodiscard]] constexpr auto frames(const View& from) {
    const bool follow_on = from.extents[0] <= 1 || from.extents[1] <= 1 ||
                           from.strides[0] == from.extents[1] * from.strides[1];
    if (!follow_on)
        throw_if_failed(error{"r9v: frames() needs volumes that follow on one another. Pass one "
                              "volume at a time, as frames(slice(t, 0, i, 1))."});
    detail::view_like<View, 4, View::element_layout> to;
    to.data = from.data;
    for (int axis = 0; axis < 4; ++axis) {
        to.extents[axis] = from.extents[axis + 1];
        to.strides[axis] = from.strides[axis + 1];
    }
    to.extents[0] *= from.extents[0];
    if (from.extents[1] <= 1) to.strides[0] = from.strides[0];
    return to;
}

/// A tensor [batch, channels] seen as maps of one pixel, [batch, 1, 1, channels]: what a mean over
/// whole maps is stored into.
template<any_tensor View>
    requires(View::rank == 2)
[[nodiscard]] R9V_HD constexpr auto as_map(const View& from) {
    constexpr layout kept =
        View::element_layout == layout::row_major ? layout::row_major : layout::strided;
    detail::view_like<View, 4, kept> to;
    to.data = from.data;
    for (int axis = 0; axis < 4; ++axis) {
        const int source = axis < 3 ? 0 : 1;
        to.extents[axis] = axis == 1 || axis == 2 ? 1 : from.extents[source];
        to.strides[axis] = from.strides[source];
    }
    return to;
}

/// `count` neighbouring positions of axis `axis`, from `begin` on; the layout stays. Not checked
/// against the extents: the caller names positions that exist.
template<any_tensor View>
[[nodiscard]] R9V_HD constexpr View slice(View from, int axis, index_t begin, index_t count) {
    from.data += begin * from.strides[axis];
    from.extents[axis] = count;
    return from;
}

/// The same elements, with strides that only run time knows: every layout is a strided one.
template<any_tensor View>
[[nodiscard]] R9V_HD constexpr auto as_strided(const View& from) {
    detail::view_like<View, View::rank, layout::strided> to;
    to.data = from.data;
    for (int axis = 0; axis < View::rank; ++axis) {
        to.extents[axis] = from.extents[axis];
        to.strides[axis] = from.strides[axis];
    }
    return to;
}

/// The sub-tensor at position `at` of the first axis: [b, m, n] becomes [m, n].
template<any_tensor View>
    requires(View::rank >= 2 && (View::rank > 2 || View::element_layout != layout::column_major))
[[nodiscard]] R9V_HD constexpr auto at_first(const View& from, index_t at) {
    detail::view_like<View, View::rank - 1, View::element_layout> to;
    to.data = from.data + at * from.strides[0];
    for (int axis = 1; axis < View::rank; ++axis) {
        to.extents[axis - 1] = from.extents[axis];
        to.strides[axis - 1] = from.strides[axis];
    }
    return to;
}

} // namespace r9v::inline R9V_ABI
