// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How the lanes of a copy share its elements.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

enum class copy_regime {
    runs, ///< a lane carries 8 neighbouring columns
    /// A lane carries 8 neighbouring rows of 8 neighbouring columns and turns them in registers, so
    /// that a side whose rows are neighbours in memory, and not its columns, is accessed 16 bytes
    /// at a time too.
    turned,
};

struct copy_tile {
    copy_regime regime = copy_regime::runs;
    int threads = 256;
    friend constexpr bool operator==(const copy_tile&, const copy_tile&) = default;
};

/// Columns (and, where they are turned, rows) that a lane carries.
inline constexpr int copy_run = 8;

struct copy_geometry {
    index_t columns = 0;    ///< of a row; of all rows where `flat`
    index_t rows = 0;       ///< of all heads and batches; of one matrix where turned
    tile::divisor chunks;   ///< runs of a row
    tile::divisor of_head;  ///< rows
    tile::divisor of_batch; ///< heads
    std::int32_t flat = 0;  ///< every operand is dense, so all elements count as one row
    /// Where rows are turned: tiles of a matrix, and the lanes of a wave along the columns.
    tile::divisor row_tiles;
    tile::divisor column_tiles;
    std::int32_t column_lanes_shift = 0;
    std::int32_t heads_merged = 0; ///< the rows of all heads follow on one another

    void attach(void*) {}
};

} // namespace r9v::inline R9V_ABI
