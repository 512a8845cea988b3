// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Heads of pools: y[b, p, q, c] is the largest or the mean of x[b, h, w, c] under a window, with
// h = p * stride + r * dilation - pad. Each channel is a map of its own.
#pragma once

#include <r9v/kernels/map_source.hpp>
#include <r9v/ops/pooling.hpp>

namespace r9v::inline R9V_ABI {

/// What an average over a window that reaches into the padding is divided by.
enum class average_count {
    with_padding, ///< by all pixels of the window: padding counts as zeros
    of_map,       ///< by the pixels of the map alone: padding does not count
};

/// What is made of the pixels under a window.
struct window_maximum {
    static constexpr const char* name = "max_pool";
};
struct window_average {
    static constexpr const char* name = "average_pool";
    average_count count;
};

/// A window that slides over the map.
template<class Source, class Kind, int Axes>
struct pool_head : map_source<Source, Axes> {
    using kind_type = Kind;
    pooling how;
    Kind kind;

    [[nodiscard]] R9V_HD constexpr index_t out_height() const {
        return convolved_extent(this->height(), how.window.height, how.stride.height,
                                how.dilation.height, how.pad.top, how.pad.bottom);
    }
    [[nodiscard]] R9V_HD constexpr index_t out_width() const {
        return convolved_extent(this->width(), how.window.width, how.stride.width,
                                how.dilation.width, how.pad.left, how.pad.right);
    }
    /// [batches, heads, rows, columns] of the result are [b, p, q, c].
    [[nodiscard]] constexpr extents result() const {
        return {this->batches(), out_width(), this->channels(), out_height()};
    }
};

/// One window as large as the map: a mean of each channel.
template<class Source, int Axes>
struct global_pool_head : map_source<Source, Axes> {
    [[nodiscard]] constexpr extents result() const {
        return {this->batches(), 1, this->channels(), 1};
    }
};

template<class T>
inline constexpr bool is_pool_head = false;
template<class Source, class Kind, int Axes>
inline constexpr bool is_pool_head<pool_head<Source, Kind, Axes>> = true;
template<class T>
inline constexpr bool is_global_pool_head = false;
template<class Source, int Axes>
inline constexpr bool is_global_pool_head<global_pool_head<Source, Axes>> = true;

namespace detail {

enum class pool_rule {
    kept,
    refused_before,
    not_a_tensor,
    element,
    rank,
    mask_in_source,
    tap_in_source,
};

template<class Input>
consteval pool_rule broken_pool_rule() {
    using view = typename view_of<Input>::type;
    if constexpr (is_rejected<Input>) {
        return pool_rule::refused_before;
    } else if constexpr (!any_tensor<view>) {
        return pool_rule::not_a_tensor;
    } else if constexpr (!std::is_same_v<typename view::value_type, half> &&
                         !std::is_same_v<typename view::value_type, bf16> &&
                         !std::is_same_v<typename view::value_type, float>) {
        return pool_rule::element;
    } else if constexpr (view::rank != 3 && view::rank != 4) {
        return pool_rule::rank;
    } else if constexpr (is_source<Input>) {
        using prologue = decltype(Input::prologue);
        if constexpr (prologue::has_rejected) {
            return pool_rule::refused_before;
        } else if constexpr (prologue::has_mask || prologue::has_sink) {
            return pool_rule::mask_in_source;
        } else if constexpr (prologue::has_tap) {
            return pool_rule::tap_in_source;
        } else {
            return pool_rule::kept;
        }
    } else {
        return pool_rule::kept;
    }
}

template<pool_rule Broken>
constexpr bool report_pool() {
    static_assert(Broken != pool_rule::not_a_tensor,
                  "r9v: a pool takes a map. Write max_pool(tensor, {.window = 2, .stride = 2}) or "
                  "max_pool(tensor | op, {...}).");
    static_assert(Broken != pool_rule::element,
                  "r9v: there is no pool for this element type. Use a map of half (_Float16, "
                  "__half), bf16 or float; what is stored may have any type.");
    static_assert(Broken != pool_rule::rank,
                  "r9v: a pool takes maps of rank 4 [batch, height, width, channels] or 3 [batch, "
                  "length, channels]. Pass channels_last(t) where the channels stand in front.");
    static_assert(Broken != pool_rule::mask_in_source,
                  "r9v: a pool has no scores to mask. Masks belong to softmax(x | mask) and "
                  "attention(q, k, v, mask).");
    static_assert(Broken != pool_rule::tap_in_source,
                  "r9v: a pool loads its map more than once, so nothing can be written on the way. "
                  "Move the tap behind the program that makes the map.");
    return Broken == pool_rule::kept;
}

/// Along a sequence only the width's numbers count.
template<int Axes>
[[nodiscard]] constexpr pooling along_axes(pooling how) {
    if constexpr (Axes == 1) {
        how.window.height = 1;
        how.stride.height = 1;
        how.dilation.height = 1;
        how.pad.top = 0;
        how.pad.bottom = 0;
    }
    return how;
}

template<class Kind, class Input>
[[nodiscard]] constexpr auto pool(const Input& x, const pooling& how, const Kind& kind) {
    if constexpr (report_pool<broken_pool_rule<Input>()>()) {
        const auto from = to_source(x);
        constexpr int axes = view_of<Input>::type::rank - 2;
        using head = pool_head<std::remove_const_t<decltype(from)>, Kind, axes>;
        return program<head, chain<>>{{{from}, along_axes<axes>(how), kind}, {}};
    } else {
        return rejected_program{};
    }
}

} // namespace detail

/// The largest value under a window over a map [batch, height, width, channels] or [batch, length,
/// channels]; the result is [batch, p, q, channels] or [batch, q, channels]. The map may be `tensor
/// | op | op`: those ops see its own elements, before padding is put around them. Padding never
/// wins; NaN does. Where dilation leaves no pixel of the map under a window, the result is -inf.
template<class Input>
[[nodiscard]] constexpr auto max_pool(const Input& x, const pooling& how) {
    return detail::pool(x, how, window_maximum{});
}

/// The mean of the values under a window; 0 where dilation leaves no pixel of the map under it.
/// PyTorch counts `with_padding` unless told otherwise.
template<class Input>
[[nodiscard]] constexpr auto average_pool(const Input& x, const pooling& how,
                                          average_count count = average_count::with_padding) {
    return detail::pool(x, how, window_average{count});
}

/// The mean of each channel of a map: [batch, 1, 1, channels], or [batch, 1, channels] of a
/// sequence. `as_map(t)` shows a tensor [batch, channels] as the former.
template<class Input>
[[nodiscard]] constexpr auto global_average_pool(const Input& x) {
    if constexpr (detail::report_pool<detail::broken_pool_rule<Input>()>()) {
        const auto from = detail::to_source(x);
        constexpr int axes = detail::view_of<Input>::type::rank - 2;
        using head = global_pool_head<std::remove_const_t<decltype(from)>, axes>;
        return program<head, chain<>>{{{from}}, {}};
    } else {
        return detail::rejected_program{};
    }
}

} // namespace r9v::inline R9V_ABI
