// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernels of pools. They are bound by memory.
#pragma once

#include <r9v/kernels/pool/chained_kernel.hpp>
#include <r9v/kernels/pool/direct_kernel.hpp>
#include <r9v/kernels/pool/global_kernel.hpp>
#include <r9v/kernels/pool/staged_kernel.hpp>

namespace r9v::inline R9V_ABI {

/// `Target` is the architecture that has a body; for any other, the kernel is empty.
template<class Target, pool_tile Tile, class Program>
R9V_KERNEL(Tile.threads)
void pool_kernel([[maybe_unused]] Program program, [[maybe_unused]] pool_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        if constexpr (Tile.regime == pool_regime::staged) {
            using block = kernels::staged_pool<Program, Tile.threads>;
            alignas(16) R9V_SHARED static char shared[block::lds_bytes];
            block::run_block(program, geometry, arch::to_local(shared));
        } else {
            kernels::pool_direct(program, geometry, Tile.threads);
        }
    }
}

template<class Target, pool_tile Tile, class Program>
R9V_KERNEL(Tile.threads)
void global_pool_kernel([[maybe_unused]] Program program, [[maybe_unused]] pool_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        using block = kernels::global_pool<Program, Tile.threads>;
        alignas(16) R9V_SHARED static char shared[block::lds_bytes];
        block{program, geometry, arch::to_local(shared)}.run_block();
    }
}

template<class Target, pool_tile Tile, class Program>
R9V_KERNEL(Tile.threads)
void chained_pool_kernel([[maybe_unused]] Program program,
                         [[maybe_unused]] pool_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        using block = kernels::chained_pool<Program, Tile.threads>;
        alignas(16) R9V_SHARED static char shared[block::lds_bytes];
        block{program, geometry, arch::to_local(shared)}.run_block(geometry.staged.whole_chunks !=
                                                                   0);
    }
}

} // namespace r9v::inline R9V_ABI
