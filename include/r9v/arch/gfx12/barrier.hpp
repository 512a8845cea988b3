// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The block's barrier.
#pragma once

#include <r9v/arch/common/vector.hpp>

namespace r9v::inline R9V_ABI::arch {

/// All LDS accesses of the block before it are done before any after it. Global loads stay in
/// flight: the compiler's own barrier would wait for them, and in WGP mode flush the L0 cache.
R9V_INLINE void barrier() {
    asm volatile("s_wait_dscnt 0x0\n\ts_barrier_signal -1\n\ts_barrier_wait -1" ::: "memory");
}

} // namespace r9v::inline R9V_ABI::arch
