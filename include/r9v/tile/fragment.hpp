// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Fragments: what the lanes of a wave read from a slab in LDS for the matrix instruction.
#pragma once

#include <r9v/tile/slab.hpp>

namespace r9v::inline R9V_ABI::tile {

/// Steps of the matrix instruction through a slab.
inline constexpr int slab_steps = slab_depth / arch::fragment_size;

/// Reads fragments of 16 rows, from row `first` of a slab on.
class fragment_reader {
public:
    R9V_INLINE explicit fragment_reader(int first) {
        const auto at = arch::operand_position(static_cast<int>(arch::lane_index()), 0);
        R9V_UNROLL
        for (int step = 0; step < slab_steps; ++step)
            offset_[step] = slab_offset(first + at.row,
                                        (at.column + step * arch::fragment_size) / chunk_elements);
    }

    /// Fragment `i` for step `step`. The xor of slab_offset repeats every 8 rows, so fragments are
    /// a constant apart.
    [[nodiscard]] R9V_INLINE arch::words4 load(arch::local_bytes slab, int step, int i) const {
        const auto apart = static_cast<std::uint32_t>(i * arch::fragment_size * slab_row_bytes);
        return arch::load_local(slab, offset_[step] + apart);
    }

private:
    std::uint32_t offset_[slab_steps];
};

} // namespace r9v::inline R9V_ABI::tile
