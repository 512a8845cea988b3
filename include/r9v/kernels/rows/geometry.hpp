// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a row kernel is told beside its program: extents, and how lanes, waves and blocks share the
// rows.
#pragma once

#include <r9v/core/integers.hpp>

namespace r9v::inline R9V_ABI {

struct row_geometry {
    index_t rows = 0; ///< of one head of one batch
    index_t columns = 0;
    index_t heads = 1;
    /// Blocks that the rows of one head take.
    std::int32_t row_blocks = 1;
    /// A row is shared by 2^lanes_shift lanes of each of 2^waves_shift waves.
    std::int32_t lanes_shift = 5;
    std::int32_t waves_shift = 0;
    /// Every operand is within reach of 32-bit lane offsets, so runs of 8 are used.
    std::int32_t wide = 0;
    /// Blocks that share a row, and how many of its columns each takes: a multiple of 8.
    std::int32_t parts = 1;
    index_t part_columns = 0;
    /// Scratch memory of rows that several blocks share: their states, part by part.
    float* partials = nullptr;

    void attach(void* scratch) { partials = static_cast<float*>(scratch); }
};

} // namespace r9v::inline R9V_ABI
