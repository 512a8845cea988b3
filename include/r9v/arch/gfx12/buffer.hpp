// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Loads with a bound, checked by the hardware: what lies beyond reads as zero.
#pragma once

#include <r9v/arch/common/memory.hpp>

namespace r9v::inline R9V_ABI::arch {

/// Bytes that a bounded load may reach from its base: offsets below it are inside.
inline constexpr std::uint32_t bounded_reach = 0x7fff'0000u;
/// An offset that reads as zeros.
inline constexpr std::uint32_t outside = 0xffff'ff00u;

/// `Bytes` bytes a lane at `base + offset`, or zeros where the offset is `outside`. The base is
/// uniform; only what is read must exist. (A raw buffer without a stride: the range check compares
/// offsets with the number of bytes.)
template<int Bytes>
[[nodiscard]] R9V_INLINE word<Bytes> load_bounded(global_bytes base, std::uint32_t offset) {
    constexpr int raw_format = 0x31004000; // raw range checks: offsets against bytes
    const __amdgpu_buffer_rsrc_t buffer = __builtin_amdgcn_make_buffer_rsrc(
        (void*)(const void*)base, 0, static_cast<int>(bounded_reach), raw_format); // NOLINT
    const int at = static_cast<int>(offset);
    if constexpr (Bytes == 16) {
        return __builtin_bit_cast(words4, __builtin_amdgcn_raw_buffer_load_b128(buffer, at, 0, 0));
    } else {
        static_assert(Bytes == 2);
        return __builtin_amdgcn_raw_buffer_load_b16(buffer, at, 0, 0);
    }
}

} // namespace r9v::inline R9V_ABI::arch
