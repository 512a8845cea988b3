// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A wave's queries: loaded once, through the prologue of q, into registers as the second operand of
// K Q^T.
#pragma once

#include <r9v/kernels/attention/sequence.hpp>
#include <r9v/ops/mask_range.hpp>
#include <r9v/tile/device_math.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// The 16 queries of one head that a wave computes and how many of them exist. Where none does, the
/// last of the sequence stands for them: it is loaded, and nothing of it is kept or stored.
struct query_rows {
    index_t head;
    index_t first;
    int count; ///< 0 to 16; the last one stands in for those that do not exist

    /// The query of a lane, counted from the first.
    [[nodiscard]] R9V_INLINE int of(std::uint32_t lane) const {
        const int row = arch::operand_position(static_cast<int>(lane), 0).row;
        return row < count ? row : count > 0 ? count - 1 : 0;
    }
    [[nodiscard]] R9V_INLINE row_range range(index_t sequence) const {
        return {sequence, head, first, first + count};
    }
};

/// The queries of a block: as many units of 16 queries as it has waves. Units of all heads that
/// share a key head follow one another, those of one place together: they keep the same keys.
struct query_units {
    index_t queries;
    std::uint32_t first_head;
    std::uint32_t first_unit;
    tile::divisor ratio; ///< heads to a key head

    [[nodiscard]] R9V_INLINE query_rows of(int wave) const {
        const std::uint32_t unit = first_unit + static_cast<std::uint32_t>(wave);
        const std::uint32_t place = ratio.quotient(unit);
        const std::uint32_t head = first_head + unit - place * ratio.value;
        const index_t first = index_t{place} * 16;
        const index_t left = queries - first;
        if (left <= 0) return {head, queries - 1, 0};
        return {head, first, left > 16 ? 16 : static_cast<int>(left)};
    }
};

/// The prologue of eight neighbours, rounded to the element type again.
template<class Element, class Chain>
R9V_INLINE arch::words4 treat_queries(const Chain& prologue, const coordinate& at,
                                      arch::words4 chunk) {
    if constexpr (Chain::size != 0) {
        run<float, 8> values;
        R9V_UNROLL
        for (int i = 0; i < 8; ++i)
            values[i] = arch::element_to_float<Element>(chunk[i / 2], i % 2);
        values = r9v::transform(tile::device_math<index_t>{}, prologue, at, values);
        R9V_UNROLL
        for (int word = 0; word < 4; ++word)
            chunk[word] = arch::word_from_floats<Element>(values.begin() + 2 * word);
    }
    return chunk;
}

/// Fragments of q, zeros beyond its dim, every sign flipped where `flip` is the sign bits.
template<class Head, int Fragments>
R9V_INLINE void load_queries(const Head& head, const attention_sequence& s,
                             const query_rows& queries, std::uint32_t flip,
                             arch::words4 (&q)[Fragments]) {
    const auto rows = head.q.rows.rows(s.index, queries.head);
    const int dim = static_cast<int>(head.key_dim());
    const int row = queries.of(arch::lane_index());
    const arch::global_bytes base = arch::to_global(rows.first) + 2 * rows.offset(queries.first);
    const std::uint32_t offset =
        static_cast<std::uint32_t>(row) * static_cast<std::uint32_t>(2 * rows.stride);
    const int half = arch::operand_position(static_cast<int>(arch::lane_index()), 0).column;
    R9V_UNROLL
    for (int i = 0; i < Fragments; ++i) {
        const int column = 16 * i + half;
        const int there = column < dim ? column : 0;
        const auto at = s.result(queries.head, queries.first, 0, row, there);
        arch::words4 chunk = treat_queries<typename Head::element>(
            head.q.prologue, at,
            arch::load_global<16>(base, offset + static_cast<std::uint32_t>(2 * there)));
        R9V_UNROLL
        for (int word = 0; word < 4; ++word)
            q[i][word] = column < dim ? chunk[word] ^ flip : 0u;
    }
}

} // namespace r9v::inline R9V_ABI::kernels
