// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How a wave of the decode kernel is laid over keys and dims, and where partial results stand in
// scratch memory. Nothing here asks for a GPU.
//
// A lane owns 8 neighbouring dims (16 bytes) of a row of k or v, so 8, 16 or 32 lanes hold a row
// and one load instruction fetches 4, 2 or 1 of them:
//
//     dims up to 128        lanes 0 ... 15    lanes 16 ... 31
//     load 0                key 0             key 1
//     load 1                key 2             key 3
//     ...
//
// The groups of lanes run separate softmaxes over their keys until the wave has seen its last.
#pragma once

#include <r9v/kernels/attention/tuning.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// `Tile.queries` rows (queries of the heads that share a key head), and `Tile.keys` keys that the
/// waves of a block fetch at once.
template<attention_tile Tile, attention_dims Dims>
struct decode_layout {
    static constexpr int largest_dim = Dims.key > Dims.value ? Dims.key : Dims.value;
    static constexpr int groups = r9v::detail::decode_rows_a_load(largest_dim);
    static constexpr int lanes = 32 / groups;
    static constexpr int rows = Tile.queries;
    static constexpr int waves = Tile.waves;
    static constexpr int loads = Tile.keys / (Tile.waves * groups);
    /// Keys that a wave fetches at once.
    static constexpr int step = loads * groups;
    /// Lanes whose values meet in single instructions.
    static constexpr int near_lanes = lanes < 16 ? lanes : 16;
    /// Floats of a row of partial results.
    static constexpr int padded_value = lanes * 8;
};

/// Where block `block` stands.
struct decode_place {
    std::uint32_t sequence;
    std::uint32_t key_head;
    std::uint32_t row; ///< first of the rows: queries times the heads of the key head
    std::uint32_t split;
};

template<int Rows>
[[nodiscard]] R9V_HD constexpr decode_place decode_place_of(const attention_geometry& g,
                                                            std::uint32_t block) {
    const std::uint32_t a = g.splits.quotient(block);
    const std::uint32_t b = g.query_blocks.quotient(a);
    const std::uint32_t c = g.heads.quotient(b);
    return {c, b - c * g.heads.value, (a - b * g.query_blocks.value) * Rows,
            block - a * g.splits.value};
}

/// A row of scores as the lanes that hold them see it.
struct decode_row {
    std::uint32_t head;
    std::uint32_t query;
};

/// A column_range of a sequence, whose length is known by then.
struct decode_range {
    std::int32_t begin;
    std::int32_t end;
    std::int32_t all_begin;
    std::int32_t all_end;
};

/// Scratch memory: for each row and split, the sums of weighted values, then the largest score and
/// the sum of weights. A row's floats stand as two halves of 4 for each of the lanes, so that every
/// access of a wave is contiguous.
template<class Layout>
struct decode_partials {
    float* sums;
    float* scales;

    R9V_HD decode_partials(void* scratch, index_t rows, index_t splits)
        : sums{static_cast<float*>(scratch)},
          scales{sums + rows * splits * Layout::padded_value} {}

    [[nodiscard]] static constexpr std::size_t bytes(index_t rows, index_t splits) {
        return static_cast<std::size_t>(rows * splits * (Layout::padded_value + 2)) * sizeof(float);
    }
    [[nodiscard]] R9V_HD constexpr float* sums_of(index_t part) const {
        return sums + part * Layout::padded_value;
    }
    [[nodiscard]] R9V_HD constexpr float* scales_of(index_t part) const {
        return scales + part * 2;
    }
};

} // namespace r9v::inline R9V_ABI::kernels
