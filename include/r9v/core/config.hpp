// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The few macros of r9v. Nothing here names an architecture: that is arch/select.hpp's business.
#pragma once

#include <r9v/version.hpp>

// R9V_GPU is 1 where kernels can be compiled: clang with -x hip, hipcc, nvcc.
#if defined(__HIP__) || defined(__CUDACC__)
#define R9V_GPU 1
#else
#define R9V_GPU 0
#endif

// R9V_HAS_KERNELS is 1 where r9v has kernels to launch; elsewhere programs run on r9v::reference.
#if defined(__HIP__)
#define R9V_HAS_KERNELS 1
#else
#define R9V_HAS_KERNELS 0
#endif

// R9V_HD: callable on host and device. R9V_DEVICE: device only.
#if defined(__HIP__)
#define R9V_HD __attribute__((host)) __attribute__((device)) inline
#define R9V_DEVICE __attribute__((device)) inline
#elif defined(__CUDACC__)
#define R9V_HD __host__ __device__ inline
#define R9V_DEVICE __device__ inline
#else
#define R9V_HD inline
#define R9V_DEVICE inline
#endif

// R9V_UNROLL stands before a loop whose bounds are compile-time constants and whose body indexes
// registers: unrolled or not decides between registers and memory.
#if defined(__clang__) || defined(__CUDACC__)
#define R9V_UNROLL _Pragma("unroll")
#else
#define R9V_UNROLL _Pragma("GCC unroll 64")
#endif
