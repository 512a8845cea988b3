// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The convolution head: y[b, p, q, k] = sum over taps r, s and channels c of x[b, h, w, c] *
// f[k, r, s, c] with h = p * stride + r * dilation - pad, accumulated in f32; taps that fall into
// the padding are skipped.
#pragma once

#include <r9v/kernels/conv/convolution.hpp>
#include <r9v/kernels/conv/filter.hpp>
#include <r9v/kernels/map_source.hpp>
#include <r9v/ops/grammar.hpp>

namespace r9v::inline R9V_ABI {

/// `Source` is a source<View, prologue> of rank 4 (Axes 2) or 3 (Axes 1), `Filter` a packed_filter.
template<class Source, class Filter, int Axes>
struct conv_head : map_source<Source, Axes> {
    using filter_type = Filter;
    /// Kernels of stem filters may pool the result before it is written.
    static constexpr bool fuses_pool = Axes == 2 && Filter::kind == filter_kind::stem;
    static constexpr space memory = joined_memory(Source::memory, Filter::memory);

    Filter f;
    convolution how;

    /// Output channels see only the input channels of their own group.
    [[nodiscard]] R9V_HD constexpr index_t groups() const {
        return Filter::kind == filter_kind::depthwise ? this->channels() : how.groups;
    }

    /// Rows and columns of the resulting map.
    [[nodiscard]] R9V_HD constexpr index_t out_height() const {
        return convolved_extent(this->height(), f.extents.r, how.stride.height, how.dilation.height,
                                how.pad.top, how.pad.bottom);
    }
    [[nodiscard]] R9V_HD constexpr index_t out_width() const {
        return convolved_extent(this->width(), f.extents.s, how.stride.width, how.dilation.width,
                                how.pad.left, how.pad.right);
    }
    /// [batches, heads, rows, columns] of the result are [b, p, q, k].
    [[nodiscard]] constexpr extents result() const {
        return {this->batches(), out_width(), f.extents.k, out_height()};
    }
};

template<class T>
inline constexpr bool is_conv_head = false;
template<class Source, class Filter, int Axes>
inline constexpr bool is_conv_head<conv_head<Source, Filter, Axes>> = true;

namespace detail {

enum class conv_rule {
    kept,
    refused_before,
    not_a_tensor,
    not_packed,
    element,
    same_element,
    rank,
    mixed_memory,
    mask_in_source,
    tap_in_source,
};

template<int Axes, class Input, class Filter>
consteval conv_rule broken_conv_rule() {
    using view = typename view_of<Input>::type;
    if constexpr (is_rejected<Input> || is_rejected<Filter>) {
        return conv_rule::refused_before;
    } else if constexpr (!any_tensor<view>) {
        return conv_rule::not_a_tensor;
    } else if constexpr (!is_packed_filter<Filter>) {
        return conv_rule::not_packed;
    } else if constexpr (!std::is_same_v<typename view::value_type, half> &&
                         !std::is_same_v<typename view::value_type, bf16>) {
        return conv_rule::element;
    } else if constexpr (!std::is_same_v<typename view::value_type, typename Filter::value_type>) {
        return conv_rule::same_element;
    } else if constexpr (view::rank != Axes + 2) {
        return conv_rule::rank;
    } else if constexpr (!same_memory(view::memory, Filter::memory)) {
        return conv_rule::mixed_memory;
    } else if constexpr (is_source<Input>) {
        using prologue = decltype(Input::prologue);
        if constexpr (prologue::has_mask || prologue::has_sink) {
            return conv_rule::mask_in_source;
        } else if constexpr (prologue::has_tap) {
            return conv_rule::tap_in_source;
        } else {
            return conv_rule::kept;
        }
    } else {
        return conv_rule::kept;
    }
}

template<int Axes, conv_rule Broken>
constexpr bool report_conv() {
    static_assert(Broken != conv_rule::not_a_tensor,
                  "r9v: a convolution slides over a tensor. Write conv2d(tensor, filter) or "
                  "conv2d(tensor | op, filter).");
    static_assert(Broken != conv_rule::not_packed,
                  "r9v: a convolution takes packed weights. Call pack_filter() once and pass "
                  "filter(pointer, {k, r, s, c}).");
    static_assert(Broken != conv_rule::element,
                  "r9v: there is no convolution for this element type. Use half (_Float16, __half) "
                  "or bf16 for the map and the filter.");
    static_assert(Broken != conv_rule::same_element,
                  "r9v: the map and the filter have different element types. Pack the filter in "
                  "the map's type.");
    static_assert(Broken != conv_rule::rank || Axes != 2,
                  "r9v: conv2d() takes maps of rank 4 [batch, height, width, channels]. Pass "
                  "channels_last(t) for [batch, channels, height, width].");
    static_assert(Broken != conv_rule::rank || Axes != 1,
                  "r9v: conv1d() takes sequences of rank 3 [batch, length, channels]. Pass "
                  "channels_last(t) for [batch, channels, length].");
    static_assert(Broken != conv_rule::mixed_memory,
                  "r9v: host and device memory are mixed in one program. Use tensor and filter() "
                  "for a stream, host_tensor and host_filter() for r9v::reference.");
    static_assert(Broken != conv_rule::mask_in_source,
                  "r9v: a convolution has no scores to mask. Masks belong to softmax(x | mask) and "
                  "attention(q, k, v, mask).");
    static_assert(Broken != conv_rule::tap_in_source,
                  "r9v: a convolution loads its map more than once, so nothing can be written on "
                  "the way. Move the tap behind the program that makes the map.");
    return Broken == conv_rule::kept;
}

template<int Axes, class Input, class Filter>
[[nodiscard]] constexpr auto convolve(const Input& x, const Filter& f, const convolution& how) {
    constexpr auto broken = broken_conv_rule<Axes, Input, Filter>();
    if constexpr (report_conv<Axes, broken>()) {
        const auto from = to_source(x);
        using head = conv_head<std::remove_const_t<decltype(from)>, Filter, Axes>;
        return program<head, chain<>>{{{from}, f, how}, {}};
    } else {
        return rejected_program{};
    }
}

} // namespace detail

/// A filter of any size over a map [batch, height, width, channels]; the result is [batch, p, q,
/// k]. The map may be `tensor | op | op`: those ops see its own elements, before padding is put
/// around them. half and bf16; f32 accumulation.
template<class Input, class Filter>
[[nodiscard]] constexpr auto conv2d(const Input& x, const Filter& f, const convolution& how = {}) {
    return detail::convolve<2>(x, f, how);
}

/// The same along one axis: a sequence [batch, length, channels], a filter [k, 1, s, c], and the
/// width's numbers of `how`; the result is [batch, q, k].
template<class Input, class Filter>
[[nodiscard]] constexpr auto conv1d(const Input& x, const Filter& f, const convolution& how = {}) {
    convolution along = how;
    along.stride.height = 1;
    along.dilation.height = 1;
    along.pad.top = 0;
    along.pad.bottom = 0;
    return detail::convolve<1>(x, f, along);
}

} // namespace r9v::inline R9V_ABI
