// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The transposed convolution's head: x[b, h, w, c] * f[c, k, r, s] is added to y[b, p, q, k] with
// p = h * stride + r * dilation - pad, in f32.
#pragma once

#include <r9v/kernels/conv/own_filter.hpp>
#include <r9v/kernels/conv/transposed/filter.hpp>
#include <r9v/kernels/conv/transposed/transposed_convolution.hpp>
#include <r9v/kernels/map_source.hpp>

namespace r9v::inline R9V_ABI {

/// `Source` is a source<View, prologue> of rank 4 (Axes 2) or 3 (Axes 1), `Filter` a
/// packed_transposed_filter.
template<class Source, class Filter, int Axes>
struct conv_transpose_head : map_source<Source, Axes> {
    using filter_type = Filter;
    static constexpr space memory = joined_memory(Source::memory, Filter::memory);

    Filter f;
    transposed_convolution how;

    /// Rows and columns of the resulting map.
    [[nodiscard]] R9V_HD constexpr index_t out_height() const {
        return transposed_extent(this->height(), f.extents.r, how.stride.height,
                                 how.dilation.height, how.pad.top, how.pad.bottom,
                                 how.output_pad.height);
    }
    [[nodiscard]] R9V_HD constexpr index_t out_width() const {
        return transposed_extent(this->width(), f.extents.s, how.stride.width, how.dilation.width,
                                 how.pad.left, how.pad.right, how.output_pad.width);
    }
    /// [batches, heads, rows, columns] of the result are [b, p, q, k].
    [[nodiscard]] constexpr extents result() const {
        return {this->batches(), out_width(), f.extents.k, out_height()};
    }
};

template<class T>
inline constexpr bool is_conv_transpose_head = false;
template<class Source, class Filter, int Axes>
inline constexpr bool is_conv_transpose_head<conv_transpose_head<Source, Filter, Axes>> = true;

namespace detail {

template<int Axes, conv_rule Broken>
constexpr bool report_conv_transpose() {
    static_assert(Broken != conv_rule::not_packed,
                  "r9v: a transposed convolution takes a filter of its own. Call "
                  "pack_transposed_filter() once and pass transposed_filter(pointer, {k, r, s, c})."
                  " conv2d() takes filter().");
    static_assert(Broken != conv_rule::rank || Axes != 2,
                  "r9v: conv_transpose2d() takes maps of rank 4 [batch, height, width, channels]. "
                  "Pass channels_last(t) for [batch, channels, height, width].");
    static_assert(Broken != conv_rule::rank || Axes != 1,
                  "r9v: conv_transpose1d() takes sequences of rank 3 [batch, length, channels]. "
                  "Pass channels_last(t) for [batch, channels, length].");
    return report_own_filter<Broken>();
}

template<int Axes, class Input, class Filter>
[[nodiscard]] constexpr auto convolve_transposed(const Input& x, const Filter& f,
                                                 const transposed_convolution& how) {
    constexpr auto broken =
        broken_own_filter_rule<Axes + 2, is_packed_transposed_filter<Filter>, Input, Filter>();
    if constexpr (report_conv_transpose<Axes, broken>()) {
        const auto from = to_source(x);
        using head = conv_transpose_head<std::remove_const_t<decltype(from)>, Filter, Axes>;
        return program<head, chain<>>{{{from}, f, how}, {}};
    } else {
        return rejected_program{};
    }
}

} // namespace detail

/// PyTorch's ConvTranspose2d over a map [batch, height, width, channels]; the result is [batch, p,
/// q, k], its extents transposed_extent(). The map may be `tensor | op | op`. half and bf16; f32
/// accumulation. Pixels of the result that no tap reaches are 0 before the chain runs on them.
template<class Input, class Filter>
[[nodiscard]] constexpr auto conv_transpose2d(const Input& x, const Filter& f,
                                              const transposed_convolution& how = {}) {
    return detail::convolve_transposed<2>(x, f, how);
}

/// The same along one axis: a sequence [batch, length, channels], a filter [c, k / groups, 1, s],
/// and the width's numbers of `how`; the result is [batch, q, k].
template<class Input, class Filter>
[[nodiscard]] constexpr auto conv_transpose1d(const Input& x, const Filter& f,
                                              const transposed_convolution& how = {}) {
    transposed_convolution along = how;
    along.stride.height = 1;
    along.dilation.height = 1;
    along.output_pad.height = 0;
    along.pad.top = 0;
    along.pad.bottom = 0;
    return detail::convolve_transposed<1>(x, f, along);
}

} // namespace r9v::inline R9V_ABI
