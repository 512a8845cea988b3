// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels of the decode regime.
#pragma once

#include <r9v/kernels/attention/decode_block.hpp>

namespace r9v::inline R9V_ABI {

/// One part of the keys for some rows of one key head.
template<class Target, attention_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void attention_decode_kernel([[maybe_unused]] Program program,
                             [[maybe_unused]] attention_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        using block = kernels::decode_block<Tile, Program>;
        alignas(16) R9V_SHARED static char shared[block::lds_bytes];
        block::run(program, geometry, arch::to_local(shared));
    }
}

/// Joins the parts of rows.
template<class Target, attention_tile Tile, class Program>
R9V_KERNEL(kernels::decode_merge_threads)
void attention_merge_kernel([[maybe_unused]] Program program,
                            [[maybe_unused]] attention_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>)
        kernels::decode_merge<Tile, Program>::run(program, geometry);
}

} // namespace r9v::inline R9V_ABI
