// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rungs of the ladders that writers of WMMA kernels publish: D = A B^T in f16 with f32 sums, both
// operands contiguous along k. Four waves a workgroup, each with Tiles x Tiles products of 16x16.
#pragma once

#include <hip/hip_runtime.h>

namespace clock_ladder {

using half8 = __attribute__((ext_vector_type(8))) _Float16;
using float8 = __attribute__((ext_vector_type(8))) float;

constexpr unsigned ladder_size = 1024, ladder_depth = 256, ladder_step = 32;

template<unsigned Tiles>
__device__ inline void store_tiles(float* d, const float8 (&sum)[Tiles][Tiles], unsigned row,
                                   unsigned column) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned i = 0; i < Tiles; ++i)
        for (unsigned j = 0; j < Tiles; ++j)
            for (unsigned e = 0; e < 8; ++e) {
                const unsigned r = row + 16 * i + 8 * (lane / 16) + e;
                d[r * ladder_size + column + 16 * j + lane % 16] = sum[i][j][e];
            }
}

/// Every wave loads its operands from memory.
template<unsigned Tiles>
__global__ void gemm_direct(const _Float16* a, const _Float16* b, float* d) {
    const unsigned wave = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned row = (blockIdx.y * 2 + wave / 2) * 16 * Tiles;
    const unsigned column = (blockIdx.x * 2 + wave % 2) * 16 * Tiles;
    float8 sum[Tiles][Tiles] = {};
    for (unsigned k = 0; k < ladder_depth; k += 16) {
        half8 left[Tiles], right[Tiles];
        const unsigned at = k + 8 * (lane / 16);
        for (unsigned i = 0; i < Tiles; ++i) {
            left[i] =
                *reinterpret_cast<const half8*>(a + (row + 16 * i + lane % 16) * ladder_depth + at);
            right[i] = *reinterpret_cast<const half8*>(
                b + (column + 16 * i + lane % 16) * ladder_depth + at);
        }
        for (unsigned i = 0; i < Tiles; ++i)
            for (unsigned j = 0; j < Tiles; ++j)
                sum[i][j] =
                    __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(left[i], right[j], sum[i][j]);
    }
    store_tiles<Tiles>(d, sum, row, column);
}

/// The workgroup shares its operands through LDS, in rows of ladder_step + Pad elements.
template<unsigned Tiles, unsigned Pad>
__global__ void gemm_shared(const _Float16* a, const _Float16* b, float* d) {
    constexpr unsigned side = 32 * Tiles, stride = ladder_step + Pad;
    alignas(16) __shared__ _Float16 tile[2][side * stride];
    const unsigned wave = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned row = blockIdx.y * side, column = blockIdx.x * side;
    float8 sum[Tiles][Tiles] = {};
    for (unsigned k = 0; k < ladder_depth; k += ladder_step) {
        constexpr unsigned vectors = ladder_step / 8;
        for (unsigned n = threadIdx.x; n < side * vectors; n += 128) {
            const unsigned r = n / vectors, v = n % vectors * 8;
            *reinterpret_cast<half8*>(&tile[0][r * stride + v]) =
                *reinterpret_cast<const half8*>(a + (row + r) * ladder_depth + k + v);
            *reinterpret_cast<half8*>(&tile[1][r * stride + v]) =
                *reinterpret_cast<const half8*>(b + (column + r) * ladder_depth + k + v);
        }
        __syncthreads();
        for (unsigned step = 0; step < ladder_step; step += 16) {
            half8 left[Tiles], right[Tiles];
            const unsigned at = step + 8 * (lane / 16);
            for (unsigned i = 0; i < Tiles; ++i) {
                const unsigned r = 16 * i + lane % 16;
                left[i] = *reinterpret_cast<const half8*>(
                    &tile[0][(wave / 2 * 16 * Tiles + r) * stride + at]);
                right[i] = *reinterpret_cast<const half8*>(
                    &tile[1][(wave % 2 * 16 * Tiles + r) * stride + at]);
            }
            for (unsigned i = 0; i < Tiles; ++i)
                for (unsigned j = 0; j < Tiles; ++j)
                    sum[i][j] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(left[i], right[j],
                                                                                 sum[i][j]);
        }
        __syncthreads();
    }
    store_tiles<Tiles>(d, sum, row + wave / 2 * 16 * Tiles, column + wave % 2 * 16 * Tiles);
}

} // namespace clock_ladder
