// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a transposed convolution must fulfil at run time, checked before anything is launched or
// written.
#pragma once

#include <r9v/kernels/conv/check_tensors.hpp>
#include <r9v/kernels/conv/transposed/phases.hpp>
#include <r9v/kernels/conv/transposed/problem.hpp>

#include <algorithm>

namespace r9v::inline R9V_ABI {

namespace detail {

[[nodiscard]] inline status check_window(const transposed_convolution& how) noexcept {
    const int strides[] = {how.stride.height, how.stride.width};
    for (const int stride : strides)
        if (stride < 1 || stride > phase_axis::largest_stride)
            return error{"r9v: the stride of a transposed convolution is %d. Write 1 to %d.",
                         stride, phase_axis::largest_stride};
    if (how.dilation.height < 1 || how.dilation.width < 1)
        return error{"r9v: dilations count from 1. Write {.dilation = 1}."};
    if (how.pad.top < 0 || how.pad.bottom < 0 || how.pad.left < 0 || how.pad.right < 0)
        return error{"r9v: padding cannot be negative. Write .output_pad for a larger result."};
    const auto fits = [](int output_pad, int stride, int dilation) {
        return output_pad >= 0 && (output_pad < stride || output_pad < dilation);
    };
    if (!fits(how.output_pad.height, how.stride.height, how.dilation.height) ||
        !fits(how.output_pad.width, how.stride.width, how.dilation.width))
        return error{"r9v: output_pad (%d, %d) must be smaller than the stride or the dilation. It "
                     "only chooses among the sizes that a stride leaves open.",
                     how.output_pad.height, how.output_pad.width};
    if (how.groups < 1)
        return error{"r9v: there are %d groups. Write .groups = 1 or more.", how.groups};
    return {};
}

template<class Head>
[[nodiscard]] status check_transposed(const Head& head) noexcept {
    if (const status window = check_window(head.how); !window) return window;
    const transposed_convolution& how = head.how;
    const filter_extents& f = head.f.extents;
    constexpr index_t most = index_t{1} << 30;
    if (f.k < 0 || f.r < 1 || f.s < 1 || f.c < 0)
        return error{"r9v: the filter has the extents [%" PRId64 ", %" PRId64 ", %" PRId64
                     ", %" PRId64 "]. Name [k, r, s, c] with at least one tap.",
                     f.k, f.r, f.s, f.c};
    if (f.r * how.dilation.height > most || f.s * how.dilation.width > most)
        return error{"r9v: the filter spans more pixels than a launch can have. Use a smaller "
                     "dilation."};
    if (head.channels() % how.groups != 0 || f.k % how.groups != 0)
        return error{"r9v: %d groups do not divide %" PRId64 " input and %" PRId64
                     " output channels. Choose groups that divide both.",
                     how.groups, head.channels(), f.k};
    if (head.channels() / how.groups != f.c)
        return error{"r9v: the map has %" PRId64 " channels in %d groups but the filter takes "
                     "%" PRId64 ". Both need the same: {k, r, s, channels / groups}.",
                     head.channels(), how.groups, f.c};
    if (head.height() > 0 && head.width() > 0 && (head.out_height() < 1 || head.out_width() < 1))
        return error{"r9v: the padding takes away all of the result. Pad less: pads are what the "
                     "result loses."};
    return check_filter_memory(head, "pack_transposed_filter()");
}

} // namespace detail

/// Whether a transposed convolution may run: geometry, extents, layouts, pointers, overlaps.
template<class Head, class Chain>
    requires is_conv_transpose_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    if (const status fits = detail::check_transposed(p.head); !fits) return fits;
    return detail::check_tensors(p, p.head.f.elements() > detail::filter_trailer);
}

} // namespace r9v::inline R9V_ABI
