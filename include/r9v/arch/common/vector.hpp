// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Register vectors and the two address spaces that kernels name: what the compiler calls them,
// once.
#pragma once

#include <r9v/core/config.hpp>

#include <cstdint>

// Functions that must disappear into their kernel: register arrays do not survive a call.
#define R9V_INLINE __attribute__((device, always_inline)) inline

// R9V_KERNEL(threads) stands before a kernel that runs in blocks of exactly so many threads.
// Without the size, 1024 threads would be assumed and registers spilled. CU mode keeps a block on
// one compute unit, beside its LDS; the attribute leaves the translation unit's other kernels
// alone.
#if defined(__HIP_DEVICE_COMPILE__)
#define R9V_KERNEL(threads)                                                                        \
    __attribute__((global, amdgpu_flat_work_group_size(threads, threads), target("cumode")))
#else
#define R9V_KERNEL(threads) __attribute__((global, amdgpu_flat_work_group_size(threads, threads)))
#endif

// R9V_ROLLED stands before a loop whose body shall exist once.
#define R9V_ROLLED _Pragma("nounroll")

// Memory of a block.
#define R9V_SHARED __attribute__((shared))

namespace r9v::inline R9V_ABI::arch {

template<class T, int Width>
using vector = T __attribute__((ext_vector_type(Width)));

using words2 = vector<std::uint32_t, 2>;
using words4 = vector<std::uint32_t, 4>;
using floats2 = vector<float, 2>;
using floats8 = vector<float, 8>;

/// Bytes in global memory, and in the block's LDS.
using global_bytes = const __attribute__((address_space(1))) char*;
using local_bytes = __attribute__((address_space(3))) char*;

template<class T>
[[nodiscard]] R9V_INLINE global_bytes to_global(T* pointer) {
    return (global_bytes)(const void*)pointer; // NOLINT: only a C cast crosses address spaces
}

template<class T>
[[nodiscard]] R9V_INLINE local_bytes to_local(T* shared) {
    return (local_bytes)(void*)shared; // NOLINT
}

} // namespace r9v::inline R9V_ABI::arch
