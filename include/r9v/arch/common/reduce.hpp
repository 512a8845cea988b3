// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What reductions over a wave and over the waves of a block are made of. Debian's rocPRIM (5.3)
// does not compile for gfx12: its DPP broadcasts are gone from the hardware, and its switch for
// doing without them is broken. These few lines also reduce over any power of two of lanes, chosen
// at run time, and leave the result in all of them.
#pragma once

#include <r9v/arch/common/lane.hpp>
#include <r9v/arch/common/memory.hpp>

// Stands behind the parameters of a lambda that must disappear into its kernel: see R9V_INLINE.
#define R9V_INLINE_LAMBDA __attribute__((always_inline))

namespace r9v::inline R9V_ABI::arch {

/// The value of lane ^ Distance, for 1, 2, 4, 8 or 16. All lanes must be on. Pinned: see
/// other_half().
template<int Distance>
[[nodiscard]] R9V_INLINE float crossed(float value) {
    static_assert(Distance == 1 || Distance == 2 || Distance == 4 || Distance == 8 ||
                  Distance == 16);
    if constexpr (Distance == 16) {
        return other_half(value);
    } else {
        constexpr int row_xmask = 0x160; // within the 16 lanes of a row
        const int bits = __builtin_bit_cast(int, value);
        int other = __builtin_amdgcn_update_dpp(bits, bits, row_xmask + Distance, 0xf, 0xf, true);
        asm volatile("" : "+v"(other));
        return __builtin_bit_cast(float, other);
    }
}

R9V_INLINE void store_local_float(local_bytes base, std::uint32_t offset, float value) {
    *(__attribute__((address_space(3))) float*)(base + offset) = value; // NOLINT
}

/// Loads in front of it are under way before anything behind it: the optimizer would move each to
/// where its value is used.
R9V_INLINE void finish_issuing_loads() {
    asm volatile("" ::: "memory");
}

} // namespace r9v::inline R9V_ABI::arch
