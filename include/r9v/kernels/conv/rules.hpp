// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a convolution must fulfil at run time, checked before anything is launched or written.
#pragma once

#include <r9v/kernels/conv/check_tensors.hpp>
#include <r9v/kernels/conv/problem.hpp>

#include <algorithm>

namespace r9v::inline R9V_ABI {

namespace detail {

/// What a filter's kind asks for.
template<filter_kind Kind, class Head>
[[nodiscard]] status check_kind(const Head& head) noexcept {
    if constexpr (Kind == filter_kind::stem) {
        if (!is_stem(head.f.extents) || head.how.groups != 1)
            return error{"r9v: a stem filter is for maps of up to 4 channels, rows of up to 64 "
                         "weights, and one group. Pass filter(pointer, {k, r, s, c})."};
    } else if constexpr (Kind == filter_kind::depthwise) {
        if (head.how.groups != 1 && head.how.groups != head.channels())
            return error{"r9v: a depthwise filter has as many groups as the map has channels, not "
                         "%d. Leave .groups out.",
                         head.how.groups};
    }
    return {};
}

template<class Head>
[[nodiscard]] status check_convolution(const Head& head) noexcept {
    const convolution& how = head.how;
    const filter_extents& f = head.f.extents;
    const padding& pad = how.pad;
    if (how.stride.height < 1 || how.stride.width < 1 || how.dilation.height < 1 ||
        how.dilation.width < 1)
        return error{
            "r9v: strides and dilations count from 1. Write {.stride = 1, .dilation = 1}."};
    if (pad.top < 0 || pad.bottom < 0 || pad.left < 0 || pad.right < 0)
        return error{"r9v: padding cannot be negative. Pass slice(x, axis, begin, count) to crop."};
    if (how.groups < 1)
        return error{"r9v: there are %d groups. Write .groups = 1 or more.", how.groups};
    if (f.k < 0 || f.r < 1 || f.s < 1 || f.c < 0)
        return error{"r9v: the filter has the extents [%" PRId64 ", %" PRId64 ", %" PRId64
                     ", %" PRId64 "]. Name [k, r, s, c] with at least one tap.",
                     f.k, f.r, f.s, f.c};
    const index_t groups = std::max<index_t>(head.groups(), 1); // depthwise over no channels
    if (head.channels() % groups != 0 || f.k % groups != 0)
        return error{"r9v: %" PRId64 " groups do not divide %" PRId64 " input and %" PRId64
                     " output channels. Choose groups that divide both.",
                     groups, head.channels(), f.k};
    const bool has_none = Head::filter_type::kind == filter_kind::depthwise && head.channels() == 0;
    if (head.channels() / groups != f.c && !has_none)
        return error{"r9v: the map has %" PRId64 " channels in %" PRId64
                     " groups but the filter takes %" PRId64
                     ". Both need the same: a filter is [k, r, s, channels / groups].",
                     head.channels(), groups, f.c};
    if (const status kind = check_kind<Head::filter_type::kind>(head); !kind) return kind;
    const index_t height = head.height() + pad.top + pad.bottom;
    const index_t width = head.width() + pad.left + pad.right;
    if (height < (f.r - 1) * how.dilation.height + 1 || width < (f.s - 1) * how.dilation.width + 1)
        return error{"r9v: the filter is larger than the padded map (%" PRId64 " x %" PRId64
                     "). Pad more, or use a smaller filter or dilation.",
                     height, width};
    return check_filter_memory(head, "pack_filter()");
}

} // namespace detail

/// Whether a convolution may run: geometry, extents, layouts, pointers, overlaps.
template<class Head, class Chain>
    requires is_conv_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    if (const status fits = detail::check_convolution(p.head); !fits) return fits;
    // Where no weight is read it may be null; stems read theirs even over no channels.
    constexpr bool is_read = Head::filter_type::kind == filter_kind::stem;
    const bool is_memory = p.head.f.data != nullptr || (is_read && p.head.f.elements() > 0);
    return detail::check_tensors(p, is_memory);
}

} // namespace r9v::inline R9V_ABI
