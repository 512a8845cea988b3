// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The row kernels: load, reduce, finish.
#pragma once

#include <r9v/kernels/rows/held_kernel.hpp>
#include <r9v/kernels/rows/streaming_kernel.hpp>

namespace r9v::inline R9V_ABI {

/// Rows in registers, or one block's part of rows that stream by. `Target` is the architecture that
/// has a body; for any other, the kernel is empty.
template<class Target, row_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void row_kernel([[maybe_unused]] Program program, [[maybe_unused]] row_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        constexpr bool is_held = Tile.regime == row_regime::registers;
        using block = std::conditional_t<is_held, kernels::held_rows<Tile, Program>,
                                         kernels::streaming_rows<Tile, Program>>;
        alignas(16) R9V_SHARED static char shared[block::lds_bytes(Tile.waves)];
        if constexpr (is_held) {
            block rows{program, geometry, Tile.waves, arch::to_local(shared)};
            if (!rows.has_rows()) return;
            rows.load();
            rows.finish(rows.reduce());
        } else {
            const bool is_split = geometry.parts > 1;
            block rows{program, geometry, Tile.waves, arch::to_local(shared)};
            if (!rows.has_rows()) return;
            rows.begin(is_split);
            rows.finish(is_split ? rows.recall() : rows.gather());
        }
    }
}

/// The states of parts of rows, for row_kernel to merge.
template<class Target, row_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void row_parts_kernel([[maybe_unused]] Program program, [[maybe_unused]] row_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        using block = kernels::streaming_rows<Tile, Program>;
        alignas(16) R9V_SHARED static char shared[block::lds_bytes(Tile.waves)];
        block rows{program, geometry, Tile.waves, arch::to_local(shared)};
        if (!rows.has_rows()) return;
        rows.begin(false);
        rows.keep(rows.gather());
    }
}

} // namespace r9v::inline R9V_ABI
