// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// top_k() on a wave's row: k rounds, each of which finds the largest value behind the last one
// found. Values and places together are one number, so equal values come in the order of their
// columns, and nothing needs to be marked as taken.
#pragma once

#include <r9v/kernels/rows/row_block.hpp>
#include <r9v/ops/top_k.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Bits that are larger, as numbers, for larger values. NaN is the largest, both zeros are one.
[[nodiscard]] R9V_INLINE std::uint32_t rank_of(float value) {
    std::uint32_t bits = numeric::opaque_bits(value);
    if (bits == 0x8000'0000u) bits = 0;
    const bool is_nan = (bits & 0x7fff'ffffu) > numeric::float_infinity;
    return is_nan ? 0xffff'ffffu : bits >> 31 != 0 ? ~bits : bits | 0x8000'0000u;
}
[[nodiscard]] R9V_INLINE float value_of_rank(std::uint32_t rank) {
    return numeric::from_opaque_bits<float>(rank >> 31 != 0 ? rank & 0x7fff'ffffu : ~rank);
}

/// A value and its column: larger for larger values, and for lower columns among equal ones.
struct ranked_value {
    std::uint64_t order = 0;

    ranked_value() = default;
    R9V_INLINE ranked_value(std::uint32_t rank, std::int32_t column)
        : order{std::uint64_t{rank} << 32 | (static_cast<std::uint32_t>(column) ^ 0x7fff'ffffu)} {}
    [[nodiscard]] R9V_INLINE float value() const {
        return value_of_rank(static_cast<std::uint32_t>(order >> 32));
    }
    [[nodiscard]] R9V_INLINE std::int32_t column() const {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(order) ^ 0x7fff'ffffu);
    }
};

/// The op that ends a chain.
template<class... Ops>
[[nodiscard]] R9V_INLINE const auto& last_op(const chain<Ops...>& ops) {
    return get<sizeof...(Ops) - 1>(ops.ops);
}

/// `visit_all(visit)` calls visit(rank, column) for this lane's share of the row's results. A row
/// is shared by 8 lanes of a wave or more.
template<class Op, class VisitAll>
R9V_INLINE void choose(const Op& op, const wave_rows& rows, arch::local_bytes lds,
                       VisitAll visit_all) {
    constexpr narrow_math math{};
    constexpr int places = Op::most / 8;
    const std::int32_t lane = rows.lane_column / 8;
    float weights[places] = {};
    std::int32_t columns[places] = {};
    float sum = 0;
    float largest = 0;
    ranked_value last;
    last.order = ~std::uint64_t{0}; // in front of everything: columns are below 2^31
    R9V_ROLLED
    for (std::int32_t found = 0; found < op.k; ++found) {
        ranked_value mine;
        visit_all([&](std::uint32_t rank, std::int32_t column) R9V_INLINE_LAMBDA {
            const ranked_value here{rank, column};
            if (here.order < last.order && here.order > mine.order) mine = here;
        });
        last = tile::over_row(mine, rows.sharing, lds,
                              [](const ranked_value& a, const ranked_value& b)
                                  R9V_INLINE_LAMBDA { return a.order > b.order ? a : b; });
        if (found == 0) largest = last.value();
        const float weight = op.weight(math, last.value(), largest);
        sum += weight;
        const std::int32_t slot = found >> rows.sharing.lanes_shift;
        const bool is_mine = (found & (rows.sharing.lanes() - 1)) == lane;
        R9V_UNROLL
        for (int i = 0; i < places; ++i)
            if (i == slot) {
                weights[i] = is_mine ? weight : weights[i];
                columns[i] = is_mine ? last.column() : columns[i];
            }
    }
    if (rows.wave_in_row != 0 || !rows.exists) return;
    R9V_UNROLL
    for (int i = 0; i < places; ++i) {
        const std::int32_t place = (i << rows.sharing.lanes_shift) + lane;
        if (place < op.k)
            op.store(math, rows.at(0, place), op.share(math, weights[i], sum), columns[i]);
    }
}

} // namespace r9v::inline R9V_ABI::kernels
