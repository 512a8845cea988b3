// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The numbers of a prefill kernel that are known when it is compiled: fragments, layouts in LDS,
// and which thread moves what.
#pragma once

#include <r9v/kernels/attention/problem.hpp>
#include <r9v/kernels/attention/tuning.hpp>
#include <r9v/tile/row_layout.hpp>

#include <bit>

namespace r9v::inline R9V_ABI::kernels {

/// A block's tiles of keys [keys, dim] and of values, transposed [value dim, keys], in two stages.
template<attention_dims Dims, attention_tile Tile>
struct prefill_shape {
    static constexpr int dim = Dims.padded_key();
    static constexpr int value_dim = Dims.padded_value();
    static constexpr int keys = Tile.keys;
    static constexpr int waves = Tile.waves;
    static constexpr int queries = Tile.queries;

    static constexpr int fragment = 16;
    static constexpr int key_fragments = keys / fragment;
    static constexpr int dim_fragments = dim / fragment;
    static constexpr int value_fragments = value_dim / fragment;

    /// Keys: so many lanes load the chunks of one row. Lanes beyond its end repeat its last chunk.
    static constexpr int lanes_a_key =
        static_cast<int>(std::bit_ceil(static_cast<unsigned>(dim / 8)));
    static constexpr int keys_a_pass = waves * 32 / lanes_a_key;
    static constexpr int key_passes = ceil_div(keys, keys_a_pass);

    /// Values: a wave transposes blocks of 8 keys by 32 columns, 64 contiguous bytes of each key.
    static constexpr int value_groups = keys / 8;
    static constexpr int value_passes = ceil_div(value_groups * ceil_div(value_dim, 32), waves);

    // LDS has room for whatever all passes load, needed or not: no wave does less than another.
    using key_rows = tile::row_layout<dim / 8>;
    using value_rows = tile::row_layout<keys / 8>;
    static constexpr int key_bytes = key_passes * keys_a_pass * key_rows::row_bytes;
    static constexpr int value_bytes =
        32 * ceil_div(value_passes * waves, value_groups) * value_rows::row_bytes;
    static constexpr int stage_bytes = key_bytes + value_bytes;
    static constexpr int lds_bytes = 2 * stage_bytes;

    /// Columns of results that wait in LDS at a time when the epilogue has guards.
    static constexpr int parked = [] {
        int columns = 4;
        while (columns > 1 && (columns > value_fragments || waves * columns * 1024 > lds_bytes))
            columns /= 2;
        return columns;
    }();

    /// Registers that hold queries and results. Where they are most of those there are, the
    /// reference of the softmax is not held eight times for the matrix instruction.
    static constexpr bool is_wide = dim / 4 + value_dim / 2 > 176;
};

} // namespace r9v::inline R9V_ABI::kernels
