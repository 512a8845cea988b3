// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What an attention kernel is told beside its program: how blocks map to sequences, heads, queries
// and keys, and which of its paths the tensors allow. Each regime fills in and reads what it needs.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

struct attention_geometry {
    tile::divisor heads;        ///< heads, or key heads where a block serves a group of heads
    tile::divisor ratio;        ///< query heads of a key head
    tile::divisor query_blocks; ///< blocks that share the queries of one sequence and head
    tile::divisor splits;       ///< blocks that share the keys of one sequence and head
    /// Blocks of queries as columns, all heads of all sequences as rows.
    tile::raster blocks;
    std::uint32_t sequences = 0;

    /// Rows of q, k and v all start at multiples of 16 bytes. 32 bits: the scalar unit loads no
    /// bytes.
    std::int32_t aligned = 0;
    /// 32-bit offsets reach the rows of a tile from its first one.
    std::int32_t near_rows = 0;
    /// Operands of the chain, of the score ops and of q's prologue allow 32-bit lane offsets within
    /// a tile, so runs of 8 may be used.
    std::int32_t wide_chain = 0;
    std::int32_t wide_scores = 0;
    std::int32_t wide_prologue = 0;

    /// Scratch memory of partial results.
    void* partials = nullptr;

    void attach(void* scratch) { partials = scratch; }
};

} // namespace r9v::inline R9V_ABI
