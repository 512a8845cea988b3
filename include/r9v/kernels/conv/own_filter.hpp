// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What convolutions with filters of their own (transposed, over volumes) share: the rules about
// maps, which are those of conv2d(), and the tiles.
#pragma once

#include <r9v/kernels/conv/problem.hpp>
#include <r9v/kernels/conv/tuning.hpp>

namespace r9v::inline R9V_ABI::detail {

/// The first rule that a map and a filter break; `IsPacked`: the filter is of the right kind.
template<int Rank, bool IsPacked, class Input, class Filter>
consteval conv_rule broken_own_filter_rule() {
    using view = typename view_of<Input>::type;
    if constexpr (is_rejected<Input> || is_rejected<Filter>) {
        return conv_rule::refused_before;
    } else if constexpr (!any_tensor<view>) {
        return conv_rule::not_a_tensor;
    } else if constexpr (!IsPacked) {
        return conv_rule::not_packed;
    } else {
        // The rest is that of a dense filter with the same elements.
        using dense = packed_filter<typename Filter::value_type, Filter::memory>;
        return broken_conv_rule<Rank - 2, Input, dense>();
    }
}

/// The messages that do not name the head: of all rules but not_packed and rank.
template<conv_rule Broken>
constexpr bool report_own_filter() {
    constexpr bool names_head = Broken == conv_rule::not_packed || Broken == conv_rule::rank;
    return report_conv<0, names_head ? conv_rule::kept : Broken>() && !names_head;
}

/// Tiles whose slabs go through LDS.
template<class Head>
constexpr auto default_own_filter_tiles() {
    if constexpr (Head::x_view::element_layout != layout::row_major) {
        return tile_list<scattered_conv_tile>{};
    } else {
        return tile_list<large_conv_tile, small_conv_tile, scattered_conv_tile>{};
    }
}
template<class Head, conv_tile... Tiles>
constexpr bool allows_tiles(tile_list<Tiles...>) {
    constexpr layout of_map = Head::x_view::element_layout;
    return ((is_valid_conv_tile(Tiles, of_map) &&
             (Tiles.regime == conv_regime::patches || Tiles.regime == conv_regime::scattered)) &&
            ...);
}

/// Of the tiles of a list that fit_with(tile) allows, the one with the fewest cycles.
template<class Fit, conv_tile... Tiles>
[[nodiscard]] auto choose_by_cycles(const Fit& fit_with, tile_list<Tiles...>) {
    constexpr conv_tile tiles[] = {Tiles...};
    decltype(fit_with(tiles[0])) best;
    for (int i = 0; i < static_cast<int>(sizeof...(Tiles)); ++i) {
        auto candidate = fit_with(tiles[i]);
        best.is_too_large = best.is_too_large || candidate.is_too_large;
        if (candidate.tile < 0 || (best.tile >= 0 && candidate.cycles >= best.cycles)) continue;
        best = candidate;
        best.tile = i;
    }
    return best;
}

/// Why no tile of a list serves: too many pixels for all of them, or channels that want another.
[[nodiscard]] inline status own_filter_misfit(bool is_too_large) noexcept {
    if (is_too_large)
        return error{"r9v: the result has more pixels or blocks than a launch can have. Split the "
                     "batch over several launches."};
    return error{"r9v: this tile needs contiguous channels, a multiple of 8, and a filter of few "
                 "taps. Name a scattered tile."};
}

} // namespace r9v::inline R9V_ABI::detail
