// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The GEMM kernels: load, multiply, finish.
#pragma once

#include <r9v/kernels/gemm/skinny_kernel.hpp>
#include <r9v/kernels/gemm/tiled_kernel.hpp>

namespace r9v::inline R9V_ABI {

/// Computes one tile of a program's result. `Target` is the architecture that has a body; for any
/// other, the kernel is empty.
template<class Target, gemm_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void gemm_kernel([[maybe_unused]] Program program, [[maybe_unused]] gemm_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        if constexpr (Tile.regime == gemm_regime::skinny) {
            kernels::skinny_block<Tile, Program>(program, geometry);
        } else {
            kernels::tiled_block<Tile, Program>(program, geometry);
        }
    }
}

} // namespace r9v::inline R9V_ABI
