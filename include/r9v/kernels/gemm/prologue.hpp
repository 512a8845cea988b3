// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The ops that run on x between global memory and LDS. Their rows are rows of x, their columns k.
#pragma once

#include <r9v/ops/chain.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/pipeline.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Passes chunks of 8 neighbours in k through a chain and rounds them to x's element type again.
template<class Element, class Chain, class Math>
class prologue {
public:
    static constexpr bool changes = true;

    R9V_INLINE prologue(const Chain& ops, index_t batch, index_t row, int rows)
        : ops_{ops},
          batch_{batch},
          row_{row},
          rows_{rows} {}

    /// `row` counts from the block's first and is clamped as the loads were; `k` is uniform,
    /// `lane_k` the lane's distance from it.
    R9V_INLINE arch::words4 operator()(arch::words4 chunk, int row, index_t k, int lane_k) const {
        constexpr int n = tile::chunk_elements;
        run<float, n> values;
        R9V_UNROLL
        for (int i = 0; i < n; ++i)
            values[i] = arch::element_to_float<Element>(chunk[i / 2], i % 2);
        values = r9v::transform(Math{}, ops_, position(row, k, lane_k), values);
        R9V_UNROLL
        for (int word = 0; word < n / 2; ++word)
            chunk[word] = arch::word_from_floats<Element>(values.begin() + 2 * word);
        return chunk;
    }

    /// One element, for the slab whose last chunk is not whole.
    R9V_INLINE std::uint16_t single(std::uint16_t bits, int row, index_t k, int lane_k) const {
        run<float, 1> value{{arch::element_to_float<Element>(bits, 0)}};
        value = r9v::transform(Math{}, ops_, position(row, k, lane_k), value);
        return static_cast<std::uint16_t>(arch::element_from_float<Element>(value[0]));
    }

private:
    R9V_INLINE coordinate position(int row, index_t k, int lane_k) const {
        return {batch_, row_, k, row < rows_ ? row : rows_ - 1, lane_k};
    }

    const Chain& ops_;
    index_t batch_;
    index_t row_;
    int rows_;
};

} // namespace r9v::inline R9V_ABI::kernels
