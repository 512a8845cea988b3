// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The head of convolutions over volumes: y[b, d', p, q, k] = sum over taps t, r, s and channels c
// of x[b, d, h, w, c] * f[k, t, r, s, c] with d = d' * stride + t * dilation - pad, and the same
// along height and width. Coordinates have no axis for frames: they count through the frames of all
// images.
#pragma once

#include <r9v/kernels/conv/own_filter.hpp>
#include <r9v/kernels/conv/volume/filter.hpp>
#include <r9v/kernels/conv/volume/volume_convolution.hpp>

namespace r9v::inline R9V_ABI {

/// `Source` is a source<View, prologue> of rank 5, `Filter` a packed_volume_filter.
template<class Source, class Filter>
struct conv_volume_head {
    using source_type = Source;
    using filter_type = Filter;
    using x_view = std::remove_cvref_t<decltype(std::declval<Source>().view)>;
    using element = typename x_view::value_type;
    static constexpr int results = 1;
    static constexpr space memory = joined_memory(Source::memory, Filter::memory);

    Source x;
    Filter f;
    volume_convolution how;

    [[nodiscard]] R9V_HD constexpr index_t batches() const { return x.view.extents[0]; }
    [[nodiscard]] R9V_HD constexpr index_t depth() const { return x.view.extents[1]; }
    [[nodiscard]] R9V_HD constexpr index_t height() const { return x.view.extents[2]; }
    [[nodiscard]] R9V_HD constexpr index_t width() const { return x.view.extents[3]; }
    [[nodiscard]] R9V_HD constexpr index_t channels() const { return x.view.extents[4]; }
    [[nodiscard]] R9V_HD constexpr index_t channel_stride() const {
        return x_view::element_layout == layout::row_major ? 1 : x.view.strides[4];
    }

    /// Frames, rows and columns of the result.
    [[nodiscard]] R9V_HD constexpr index_t out_depth() const {
        return convolved_extent(depth(), f.extents.t, how.stride.depth, how.dilation.depth,
                                how.pad.front, how.pad.back);
    }
    [[nodiscard]] R9V_HD constexpr index_t out_height() const {
        return convolved_extent(height(), f.extents.r, how.stride.height, how.dilation.height,
                                how.pad.top, how.pad.bottom);
    }
    [[nodiscard]] R9V_HD constexpr index_t out_width() const {
        return convolved_extent(width(), f.extents.s, how.stride.width, how.dilation.width,
                                how.pad.left, how.pad.right);
    }
    /// [batches, heads, rows, columns] of the result are [b * d', p, q, k].
    [[nodiscard]] constexpr extents result() const {
        return {batches() * out_depth(), out_width(), f.extents.k, out_height()};
    }
    /// What the prologue's operands follow: [b * d, h, w, c].
    [[nodiscard]] constexpr extents source_extents() const {
        return {batches() * depth(), width(), channels(), height()};
    }
};

template<class T>
inline constexpr bool is_conv_volume_head = false;
template<class Source, class Filter>
inline constexpr bool is_conv_volume_head<conv_volume_head<Source, Filter>> = true;

namespace detail {

template<conv_rule Broken>
constexpr bool report_conv_volume() {
    static_assert(
        Broken != conv_rule::not_packed,
        "r9v: conv3d() takes a filter of its own. Call pack_volume_filter() once and pass "
        "volume_filter(pointer, {k, t, r, s, c}). conv2d() takes filter().");
    static_assert(Broken != conv_rule::rank,
                  "r9v: conv3d() takes volumes of rank 5 [batch, depth, height, width, channels]. "
                  "Pass channels_last(t) for [batch, channels, depth, height, width].");
    return report_own_filter<Broken>();
}

} // namespace detail

/// A filter of any size over a volume [batch, depth, height, width, channels]. The result is
/// [batch, depth, p, q, k]; ops and stores behind it see its frames, [batch * depth, p, q, k], so
/// pass `frames(t)` to them. The volume may be `tensor | op | op`, whose ops see its frames. half
/// and bf16; f32 accumulation.
template<class Input, class Filter>
[[nodiscard]] constexpr auto conv3d(const Input& x, const Filter& f,
                                    const volume_convolution& how = {}) {
    constexpr auto broken =
        detail::broken_own_filter_rule<5, is_packed_volume_filter<Filter>, Input, Filter>();
    if constexpr (detail::report_conv_volume<broken>()) {
        const auto from = detail::to_source(x);
        using head = conv_volume_head<std::remove_const_t<decltype(from)>, Filter>;
        return program<head, chain<>>{{from, f, how}, {}};
    } else {
        return detail::rejected_program{};
    }
}

} // namespace r9v::inline R9V_ABI
