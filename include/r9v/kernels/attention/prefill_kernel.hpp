// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention for many queries. A block takes 16 queries a wave and walks over the keys: S^T = K Q^T
// and O^T = V^T P^T, where the scores that a lane holds are, as weights, what the second product
// wants from it. Weights never leave registers; K and V^T come through LDS.
#pragma once

#include <r9v/kernels/attention/prefill_block.hpp>

namespace r9v::inline R9V_ABI {

/// Computes `Tile.queries` queries of one head. For any `Target` but the one that has a body, the
/// kernel is empty.
template<class Target, attention_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void attention_prefill_kernel([[maybe_unused]] Program program,
                              [[maybe_unused]] attention_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>)
        kernels::prefill_block<Tile, Program>(program, geometry);
}

} // namespace r9v::inline R9V_ABI
