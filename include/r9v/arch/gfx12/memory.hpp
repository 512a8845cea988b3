// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Loads that only gfx12 has.
#pragma once

#include <r9v/arch/common/memory.hpp>

namespace r9v::inline R9V_ABI::arch {

/// Loads 16 bytes a lane and transposes the 8x8 block of 16-bit elements that each group of eight
/// lanes reads: lane i of a group points at row i of its block and receives column i. There is no
/// bounds check, and EXEC must be full.
template<class Offset>
[[nodiscard]] R9V_INLINE words4 load_transposed(global_bytes base, Offset offset) {
    using halves8 = __fp16 __attribute__((vector_size(16)));
    using pointer = __attribute__((address_space(1))) halves8*;
    return __builtin_bit_cast(
        words4, __builtin_amdgcn_global_load_tr_b128_v8f16((pointer)(base + offset))); // NOLINT
}

} // namespace r9v::inline R9V_ABI::arch
