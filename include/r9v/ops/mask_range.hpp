// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What masks say about whole ranges of scores, so that kernels skip what nothing keeps and test
// nothing where everything is kept. A mask derives its answers for ranges and its test of single
// scores from the same numbers; the answers for tiles are derived from the ranges here.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/numeric/bits.hpp>
#include <r9v/ops/chain.hpp>

#include <cfloat>

namespace r9v::inline R9V_ABI {

/// What a mask puts in place of a score that does not count. It is finite, so that -ffast-math
/// cannot reason about it, and no sum of a softmax ever sees it: see is_kept().
inline constexpr float not_kept = -FLT_MAX;

/// Whether a score counts. -inf and `not_kept` do not; NaN does, so that it shows in the result.
/// The test works on bits and survives -ffast-math.
[[nodiscard]] R9V_HD constexpr bool is_kept(float score) {
    constexpr std::uint32_t lowest = r9v::bit_cast<std::uint32_t>(not_kept);
    return numeric::opaque_bits(score) - lowest > 1; // -inf has the next pattern
}
[[nodiscard]] R9V_HD constexpr bool is_kept(double score) {
    constexpr auto lowest = r9v::bit_cast<std::uint64_t>(static_cast<double>(not_kept));
    constexpr std::uint64_t minus_infinity = numeric::double_infinity | std::uint64_t{1} << 63;
    return numeric::opaque_bits(score) - lowest > minus_infinity - lowest;
}

/// Neighbouring rows of scores (queries) of one batch and head: [begin, end).
struct row_range {
    index_t batch = 0;
    index_t head = 0;
    index_t begin = 0;
    index_t end = 0;
};

/// Columns (keys) that matter to some rows: nothing is kept outside [begin, end), everything is
/// kept inside [all_begin, all_end). Always begin <= all_begin <= all_end <= end, so that three
/// loops in a row cover it.
struct column_range {
    index_t begin = 0;
    index_t end = 0;
    index_t all_begin = 0;
    index_t all_end = 0;

    friend constexpr bool operator==(const column_range&, const column_range&) = default;
};

/// A rectangle of scores.
struct score_tile {
    index_t batch = 0;
    index_t head = 0;
    index_t row_begin = 0;
    index_t row_end = 0;
    index_t column_begin = 0;
    index_t column_end = 0;

    [[nodiscard]] R9V_HD constexpr row_range rows() const {
        return {batch, head, row_begin, row_end};
    }
};

/// How much of a tile is kept. `some` may be said of any tile, `none` and `all` only where they
/// hold.
enum class tile_answer { none, some, all };

namespace detail {

/// Past every column, with room for sums: extents are below 2^58.
inline constexpr index_t far_away = index_t{1} << 59;

[[nodiscard]] R9V_HD constexpr index_t smaller(index_t a, index_t b) {
    return a < b ? a : b;
}
[[nodiscard]] R9V_HD constexpr index_t larger(index_t a, index_t b) {
    return a < b ? b : a;
}

/// The same range in the order that column_range promises; the hull decides.
[[nodiscard]] R9V_HD constexpr column_range ordered(const column_range& range) {
    const index_t end = larger(range.begin, range.end);
    const index_t all_begin = larger(range.begin, range.all_begin);
    const index_t all_end = smaller(end, range.all_end);
    const bool any = all_begin < all_end;
    return {range.begin, end, any ? all_begin : range.begin, any ? all_end : range.begin};
}

/// The answer of a mask that can tell nothing about ranges, and of one that keeps all. Functions,
/// since clang loads constants of class type from memory on a device.
[[nodiscard]] R9V_HD constexpr column_range anything() {
    return {0, far_away, 0, 0};
}
[[nodiscard]] R9V_HD constexpr column_range everything() {
    return {0, far_away, 0, far_away};
}

template<class Mask>
concept knows_columns = requires(const Mask& mask, const row_range& rows) {
    { mask.columns_of(rows) } -> std::convertible_to<column_range>;
};
template<class Mask>
concept knows_tiles = requires(const Mask& mask, const score_tile& tile) {
    { mask.keeps(tile) } -> std::convertible_to<tile_answer>;
};

} // namespace detail

/// What two masks keep together.
[[nodiscard]] R9V_HD constexpr column_range intersection(const column_range& a,
                                                         const column_range& b) {
    return detail::ordered({detail::larger(a.begin, b.begin), detail::smaller(a.end, b.end),
                            detail::larger(a.all_begin, b.all_begin),
                            detail::smaller(a.all_end, b.all_end)});
}
[[nodiscard]] R9V_HD constexpr tile_answer both_keep(tile_answer a, tile_answer b) {
    if (a == tile_answer::none || b == tile_answer::none) return tile_answer::none;
    return a == tile_answer::all ? b : tile_answer::some;
}

/// The answer for columns [begin, end) of the rows that `range` speaks of.
[[nodiscard]] R9V_HD constexpr tile_answer answer_of(const column_range& range, index_t begin,
                                                     index_t end) {
    if (end <= range.begin || begin >= range.end || begin >= end) return tile_answer::none;
    return begin >= range.all_begin && end <= range.all_end ? tile_answer::all : tile_answer::some;
}

/// What one op keeps of these rows; ops that are no masks keep everything.
template<any_op Op>
[[nodiscard]] R9V_HD constexpr column_range columns_of(const Op& op, const row_range& rows) {
    if constexpr (Op::role != role::mask) {
        return detail::everything();
    } else if constexpr (detail::knows_columns<Op>) {
        return op.columns_of(rows);
    } else {
        return detail::anything();
    }
}

/// How much of the tile one op keeps: what its columns say, and what it says of tiles itself.
template<any_op Op>
[[nodiscard]] R9V_HD constexpr tile_answer keeps(const Op& op, const score_tile& tile) {
    if (tile.row_begin >= tile.row_end) return tile_answer::none;
    const tile_answer answer =
        answer_of(columns_of(op, tile.rows()), tile.column_begin, tile.column_end);
    if constexpr (detail::knows_tiles<Op>) {
        // Two true answers: whichever is sharper.
        return answer == tile_answer::some ? op.keeps(tile) : answer;
    } else {
        return answer;
    }
}

/// Masks that change the scores that they keep, as add_mask() does, say so by `static constexpr
/// bool changes_kept = true`.
template<class Op>
inline constexpr bool changes_kept_scores = requires { requires Op::changes_kept; };

/// Whether a chain has masks at all, and whether one of them may say more about tiles than
/// columns_of() does, so that asking keeps() for each tile is worth it.
template<class Chain>
inline constexpr bool has_masks = false;
template<class... Ops>
inline constexpr bool has_masks<chain<Ops...>> = chain<Ops...>::has_mask;
template<class Chain>
inline constexpr bool has_tile_answers = false;
template<class... Ops>
inline constexpr bool has_tile_answers<chain<Ops...>> = (detail::knows_tiles<Ops> || ...);

/// What all masks of a chain keep together of these rows.
template<class... Ops>
[[nodiscard]] R9V_HD constexpr column_range columns_of(const chain<Ops...>& ops,
                                                       const row_range& rows) {
    column_range range = detail::everything();
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (
            [&] {
                if constexpr (Ops::role == role::mask)
                    range = intersection(range, r9v::columns_of(get<Is>(ops.ops), rows));
            }(),
            ...);
    }(std::index_sequence_for<Ops...>{});
    return range;
}

/// The same, of `columns` columns that exist.
template<class... Ops>
[[nodiscard]] R9V_HD constexpr column_range columns_of(const chain<Ops...>& ops,
                                                       const row_range& rows, index_t columns) {
    return intersection(r9v::columns_of(ops, rows), {0, columns, 0, columns});
}

/// How much of the tile all masks of a chain keep together.
template<class... Ops>
[[nodiscard]] R9V_HD constexpr tile_answer keeps(const chain<Ops...>& ops, const score_tile& tile) {
    const bool empty = tile.row_begin >= tile.row_end || tile.column_begin >= tile.column_end;
    tile_answer answer = empty ? tile_answer::none : tile_answer::all;
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (
            [&] {
                if constexpr (Ops::role == role::mask)
                    answer = both_keep(answer, r9v::keeps(get<Is>(ops.ops), tile));
            }(),
            ...);
    }(std::index_sequence_for<Ops...>{});
    return answer;
}

} // namespace r9v::inline R9V_ABI
