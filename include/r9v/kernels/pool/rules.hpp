// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a pool must fulfil at run time, checked before anything is launched or written.
#pragma once

#include <r9v/kernels/pool/chained_problem.hpp>
#include <r9v/kernels/pool/problem.hpp>
#include <r9v/ops/tensor_checks.hpp>

#include <algorithm>

namespace r9v::inline R9V_ABI {

namespace detail {

/// A window along one axis of `size` pixels.
[[nodiscard]] inline status check_window(const char* axis, index_t size, int window, int stride,
                                         int dilation, int before, int after) noexcept {
    if (window < 1)
        return error{"r9v: the window has %d pixels along the %s. Write {.window = 2} or more.",
                     window, axis};
    if (stride < 1 || dilation < 1)
        return error{
            "r9v: strides and dilations count from 1. Write {.stride = 1, .dilation = 1}."};
    if (before < 0 || after < 0)
        return error{"r9v: padding cannot be negative. Pass slice(x, axis, begin, count) to crop."};
    const index_t pixels = index_t{window - 1} * dilation + 1;
    if (std::max(before, after) > pixels / 2)
        return error{"r9v: the padding of %d is more than half of the window (%" PRId64 " pixels "
                     "along the %s), so that windows would see nothing else. Pad %" PRId64
                     " at most.",
                     std::max(before, after), pixels, axis, pixels / 2};
    if (size + before + after < pixels)
        return error{"r9v: the window (%" PRId64 " pixels along the %s) is larger than the padded "
                     "map (%" PRId64 "). Use a smaller window or dilation, or pad more.",
                     pixels, axis, size + before + after};
    return {};
}

template<class Head>
[[nodiscard]] status check_pooling(const Head& head) noexcept {
    const pooling& how = head.how;
    if (status fits = check_window("height", head.height(), how.window.height, how.stride.height,
                                   how.dilation.height, how.pad.top, how.pad.bottom);
        !fits)
        return fits;
    return check_window("width", head.width(), how.window.width, how.stride.width,
                        how.dilation.width, how.pad.left, how.pad.right);
}

/// Extents, layouts, pointers and overlaps of a program that reads a map in an order of its own.
template<class Head, class Chain>
[[nodiscard]] status check_map_program(const program<Head, Chain>& p) noexcept {
    tensor_checks checks{p.head.result()};
    checks.input("x", p.head.x.view);
    visit_operands(p.chain, checks);
    checks.begin_prologue(p.head.source_extents());
    visit_operands(p.head.x.prologue, checks);
    checks.check_overlap();
    return checks.outcome();
}

} // namespace detail

/// Whether a pool may run: geometry, extents, layouts, pointers, overlaps.
template<class Head, class Chain>
    requires is_pool_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    if (status fits = detail::check_pooling(p.head); !fits) return fits;
    return detail::check_map_program(p);
}

/// The same of a mean over whole maps.
template<class Head, class Chain>
    requires is_global_pool_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    if (p.head.height() * p.head.width() == 0)
        return error{"r9v: the map has no pixels to average. Pass a height and width of 1 or "
                     "more."};
    return detail::check_map_program(p);
}

/// Whether pools in a chain may run.
template<class Head, class Chain>
    requires is_chained_pool_head<Head>
[[nodiscard]] status check(const program<Head, Chain>& p) noexcept {
    const pool_chain& how = p.head.how;
    if (how.window < 1 || how.window % 2 == 0)
        return error{"r9v: a window of %d pixels has no middle, so a chain of pools would not keep "
                     "the map's size. Write an odd number: {.window = 5}.",
                     how.window};
    if (how.count < 1)
        return error{"r9v: the chain has %d pools. Write {.count = 1} or more.", how.count};
    return detail::check_map_program(p);
}

} // namespace r9v::inline R9V_ABI
