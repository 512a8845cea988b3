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

/// Larger for larger values, and for lower columns among equal ones. NaN is the largest.
struct ranked_value {
    std::uint64_t rank = 0;

    ranked_value() = default;
    R9V_INLINE ranked_value(float value, std::int32_t column) {
        std::uint32_t bits = numeric::opaque_bits(value);
        if (bits == 0x8000'0000u) bits = 0; // -0 equals 0
        const bool is_nan = (bits & 0x7fff'ffffu) > numeric::float_infinity;
        bits = is_nan ? 0xffff'ffffu : bits >> 31 != 0 ? ~bits : bits | 0x8000'0000u;
        rank = std::uint64_t{bits} << 32 | ~static_cast<std::uint32_t>(column);
    }
    [[nodiscard]] R9V_INLINE float value() const {
        const auto bits = static_cast<std::uint32_t>(rank >> 32);
        return numeric::from_opaque_bits<float>(bits >> 31 != 0 ? bits & 0x7fff'ffffu : ~bits);
    }
    [[nodiscard]] R9V_INLINE std::int32_t column() const {
        return static_cast<std::int32_t>(~static_cast<std::uint32_t>(rank));
    }
};

/// The op that ends a chain.
template<class... Ops>
[[nodiscard]] R9V_INLINE const auto& last_op(const chain<Ops...>& ops) {
    return get<sizeof...(Ops) - 1>(ops.ops);
}

/// `visit_all(visit)` calls visit(value, column) for this lane's share of the row's results; a row
/// is shared by all lanes of a wave.
template<class Op, class VisitAll>
R9V_INLINE void choose(const Op& op, const wave_rows& rows, arch::local_bytes lds,
                       VisitAll visit_all) {
    constexpr narrow_math math{};
    constexpr int slots = Op::most / arch::wave_size;
    const auto lane = static_cast<std::int32_t>(arch::lane_index());
    float weights[slots] = {};
    std::int32_t places[slots] = {};
    float sum = 0;
    float largest = 0;
    std::uint64_t last = ~std::uint64_t{0};
    R9V_ROLLED
    for (std::int32_t found = 0; found < op.k; ++found) {
        ranked_value mine;
        visit_all([&](float value, std::int32_t column) R9V_INLINE_LAMBDA {
            const ranked_value here{value, column};
            if (here.rank < last && here.rank > mine.rank) mine = here;
        });
        const ranked_value best =
            tile::over_row(mine, rows.sharing, lds,
                           [](const ranked_value& a, const ranked_value& b)
                               R9V_INLINE_LAMBDA { return a.rank > b.rank ? a : b; });
        last = best.rank;
        if (found == 0) largest = best.value();
        const float weight = op.weight(math, best.value(), largest);
        sum += weight;
        R9V_UNROLL
        for (int slot = 0; slot < slots; ++slot)
            if (found == slot * arch::wave_size + lane) {
                weights[slot] = weight;
                places[slot] = best.column();
            }
    }
    if (rows.wave_in_row != 0) return;
    R9V_UNROLL
    for (int slot = 0; slot < slots; ++slot) {
        const std::int32_t place = slot * arch::wave_size + lane;
        if (place < op.k)
            op.store(math, rows.at(0, place), op.share(math, weights[slot], sum), places[slot]);
    }
}

} // namespace r9v::inline R9V_ABI::kernels
