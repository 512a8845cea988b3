// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How rotate() and append_key_value() share their work: one lane takes one item, which is up to 16
// columns of one row of one head, and lanes beside one another take neighbouring columns.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

/// Lanes of a block; nothing else can be chosen.
struct cache_tile {
    int threads = 256;
    friend constexpr bool operator==(const cache_tile&, const cache_tile&) = default;
};

/// The items of rows of one tensor.
struct row_items {
    tile::divisor a_row;      ///< items of a row
    std::uint32_t turned = 0; ///< the first of them: eight pairs each
    std::uint32_t count = 0;  ///< of all rows

    constexpr row_items() = default;
    constexpr row_items(index_t rows, index_t columns, index_t turned_columns) {
        const index_t pairs = ceil_div<index_t>(turned_columns / 2, 8);
        const index_t items = pairs + ceil_div<index_t>(columns - turned_columns, 16);
        turned = static_cast<std::uint32_t>(pairs);
        count = static_cast<std::uint32_t>(rows * items);
        a_row = tile::divisor{items > 0 ? static_cast<std::uint32_t>(items) : 1u};
    }
};

struct cache_geometry {
    row_items keys;   ///< or the only rows there are
    row_items values; ///< behind those of the keys
    tile::divisor heads;
    tile::divisor tokens;

    void attach(void*) {}
};

} // namespace r9v::inline R9V_ABI
