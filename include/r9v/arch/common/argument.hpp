// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A kernel's argument, read where it is used. The compiler reads every argument when a kernel
// starts and holds it in scalar registers until it is used, and has no more than 106 of them.
#pragma once

#include <r9v/arch/common/vector.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI::arch {

/// The first argument of the kernel that runs, which is a `T`.
template<class T>
[[nodiscard]] R9V_INLINE const T& first_argument() {
    using constant_bytes = const __attribute__((address_space(4))) char*;
    const auto bits = reinterpret_cast<std::uint64_t>(__builtin_amdgcn_kernarg_segment_ptr());
    std::int32_t low;
    std::int32_t high;
    asm volatile("" : "=s"(low) : "0"(__builtin_amdgcn_readfirstlane(static_cast<int>(bits))));
    asm volatile(""
                 : "=s"(high)
                 : "0"(__builtin_amdgcn_readfirstlane(static_cast<int>(bits >> 32))));
    const std::uint64_t hidden =
        std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
    return *(const T*)(constant_bytes)hidden; // NOLINT
}

} // namespace r9v::inline R9V_ABI::arch
