// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a convolution over volumes must fulfil at run time, checked before anything is launched or
// written.
#pragma once

#include <r9v/kernels/conv/check_tensors.hpp>
#include <r9v/kernels/conv/volume/problem.hpp>

namespace r9v::inline R9V_ABI {

namespace detail {

[[nodiscard]] inline status check_window(const volume_convolution& how) noexcept {
    const int from_one[] = {how.stride.depth,   how.stride.height,   how.stride.width,
                            how.dilation.depth, how.dilation.height, how.dilation.width};
    for (const int distance : from_one)
        if (distance < 1)
            return error{
                "r9v: strides and dilations count from 1. Write {.stride = 1, .dilation = 1}."};
    const int pads[] = {how.pad.front,  how.pad.back, how.pad.top,
                        how.pad.bottom, how.pad.left, how.pad.right};
    for (const int pad : pads)
        if (pad < 0)
            return error{
                "r9v: padding cannot be negative. Pass slice(x, axis, begin, count) to crop."};
    if (how.groups < 1)
        return error{"r9v: there are %d groups. Write .groups = 1 or more.", how.groups};
    return {};
}

template<class Head>
[[nodiscard]] status check_volume(const Head& head) noexcept {
    if (const status window = check_window(head.how); !window) return window;
    const volume_convolution& how = head.how;
    const volume_filter_extents& f = head.f.extents;
    if (f.k < 0 || f.t < 1 || f.r < 1 || f.s < 1 || f.c < 0)
        return error{"r9v: the filter has the extents [%" PRId64 ", %" PRId64 ", %" PRId64
                     ", %" PRId64 ", %" PRId64 "]. Name [k, t, r, s, c] with at least one tap.",
                     f.k,
                     f.t,
                     f.r,
                     f.s,
                     f.c};
    if (head.channels() % how.groups != 0 || f.k % how.groups != 0)
        return error{"r9v: %d groups do not divide %" PRId64 " input and %" PRId64
                     " output channels. Choose groups that divide both.",
                     how.groups, head.channels(), f.k};
    if (head.channels() / how.groups != f.c)
        return error{"r9v: the volume has %" PRId64 " channels in %d groups but the filter takes "
                     "%" PRId64
                     ". Both need the same: a filter is [k, t, r, s, channels / groups].",
                     head.channels(), how.groups, f.c};
    if (head.out_depth() < 1 || head.out_height() < 1 || head.out_width() < 1)
        return error{"r9v: the filter is larger than the padded volume. Pad more, or use a smaller "
                     "filter or dilation."};
    return check_filter_memory(head, "pack_volume_filter()");
}

} // namespace detail

/// Whether a convolution over volumes may run: geometry, extents, layouts, pointers, overlaps.
template<class Head, class Chain>
    requires is_conv_volume_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    if (const status fits = detail::check_volume(p.head); !fits) return fits;
    return detail::check_tensors(p, p.head.f.data != nullptr);
}

} // namespace r9v::inline R9V_ABI
