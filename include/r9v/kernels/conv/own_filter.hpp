// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What convolutions with filters of their own (transposed, over volumes) share: the rules about
// maps, which are those of conv2d(), the tiles, and the reference's walk over the result.
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

/// Why no tile of a list serves: too many pixels for all of them, or channels that want another.
[[nodiscard]] inline status own_filter_misfit(bool is_too_large) noexcept {
    if (is_too_large)
        return error{"r9v: the result has more pixels or blocks than a launch can have. Split the "
                     "batch over several launches."};
    return error{"r9v: this tile needs contiguous channels, a multiple of 8, and a filter of few "
                 "taps. Name a scattered tile."};
}

/// Runs the chain of a program over its result, whose values are sum_at(b, p, q, k).
template<class Program, class SumAt>
void run_chain_over(const Program& p, const SumAt& sum_at) {
    constexpr reference_math math{};
    const extents size = p.head.result();
    typename states_of<reference_math, typename Program::chain_type>::type states{};

    reset_taps<tap_scope::tensor>(p.chain, states);
    for (index_t b = 0; b < size.batches; ++b)
        for (index_t row = 0; row < size.heads; ++row)
            for (index_t column = 0; column < size.rows; ++column) {
                coordinate at{.batch_base = b, .row_base = column, .head_base = row};
                reset_taps<tap_scope::row>(p.chain, states);
                for (index_t k = 0; k < size.columns; ++k) {
                    at.column_base = k;
                    evaluate(math, p.chain, states, at,
                             run<double, 1>{{sum_at(b, row, column, k)}});
                }
                at.column_base = 0;
                for_each_tap<tap_scope::row>(
                    p.chain, states,
                    [&](const auto& op, double state, int) { op.commit(math, state, at); });
            }
    for_each_tap<tap_scope::tensor>(p.chain, states, [&](const auto& op, double state, int) {
        op.commit(math, state, coordinate{});
    });
}

} // namespace r9v::inline R9V_ABI::detail
