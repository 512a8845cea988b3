// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a GEMM kernel is told beside its program: extents, the order of tiles, and which of its
// paths the operands allow.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

struct gemm_geometry {
    index_t m = 0;
    index_t n = 0;
    index_t k = 0;
    index_t batches = 1;
    tile::raster tiles;
    /// Rows and columns of the result that a block computes: those of its tile, or fewer where
    /// strides are so large that 32 bits do not span more rows.
    std::int32_t step_m = 0;
    std::int32_t step_n = 0;
    /// Column-contiguous operands (x transposed, weights [k, n]) allow 16-byte transposing loads.
    std::int32_t transposing_loads = 0; // 32 bits: the scalar unit loads no bytes

    /// The chain's operands allow 32-bit lane offsets, so runs of 8 may be used.
    std::int32_t wide_chain = 0;
    /// Scratch memory of taps that merge in order, and how many partial results a row has.
    float* partials = nullptr;
    std::int32_t parts = 1;

    void attach(void* scratch) { partials = static_cast<float*>(scratch); }

    /// Rows of all batches are counted through.
    [[nodiscard]] R9V_HD constexpr index_t row_count() const { return batches * m; }
    [[nodiscard]] R9V_HD constexpr index_t row_number(const coordinate& at) const {
        return at.batch() * m + at.row();
    }
    [[nodiscard]] R9V_HD constexpr coordinate row_at(index_t number) const {
        return {.batch_base = number / m, .row_base = number % m};
    }
    /// The first of a row's `parts` partial results for stateful tap number `tap` of the chain.
    [[nodiscard]] R9V_HD constexpr float* partials_of(int tap, index_t row) const {
        return partials + (tap * row_count() + row) * parts;
    }
};

} // namespace r9v::inline R9V_ABI
