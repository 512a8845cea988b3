// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The convolution kernels: load, multiply, finish.
#pragma once

#include <r9v/kernels/conv/streamed_kernel.hpp>
#include <r9v/kernels/conv/tiled_kernel.hpp>

namespace r9v::inline R9V_ABI {

/// Computes one tile of a convolution's result. `Target` is the architecture that has a body; for
/// any other, the kernel is empty.
template<class Target, conv_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void conv_kernel([[maybe_unused]] Program program, [[maybe_unused]] conv_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        if constexpr (Tile.regime == conv_regime::streamed) {
            kernels::streamed_block<Tile, Program>(program, geometry);
        } else {
            kernels::conv_block<kernels::convolved<Tile, Program>, Tile>(program, geometry);
        }
    }
}

} // namespace r9v::inline R9V_ABI
