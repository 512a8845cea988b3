// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The main loop of attention as it stands on gfx12, without the running maximum: a wave holds 16
// queries and goes over all keys, S^T = K Q^T, P = exp2(S), O^T += V^T P^T. V comes transposed.
#pragma once

#include "ladder.hpp"

namespace clock_ladder {

constexpr unsigned head_size = 128, keys = 512, waves_a_block = 4;

/// Where P goes between the two products: it lies in registers just as the second one reads it, or
/// takes a way through LDS.
enum class handover { registers, lds };

template<handover Way>
__device__ inline half8 hand_over(const float8& s) {
    half8 p;
    for (int e = 0; e < 8; ++e)
        p[e] = static_cast<_Float16>(__builtin_amdgcn_exp2f(s[e]));
    if constexpr (Way == handover::lds) {
        __shared__ half8 staged[waves_a_block * 32];
        staged[threadIdx.x] = p;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
        unsigned at = threadIdx.x;
        asm volatile("" : "+v"(at)); // the compiler shall not see whose it is
        p = staged[at];
    }
    return p;
}

template<handover Way>
__device__ inline void attend(const _Float16* q, const _Float16* k, const _Float16* v, float* o) {
    constexpr unsigned steps = head_size / 16;
    const unsigned lane = threadIdx.x % 32, wave = threadIdx.x / 32;
    const unsigned query = (blockIdx.x * waves_a_block + wave) * 16 + lane % 16;
    const unsigned half = 8 * (lane / 16);
    half8 queries[steps];
    float8 out[steps] = {};
    for (unsigned i = 0; i < steps; ++i)
        queries[i] = *reinterpret_cast<const half8*>(q + query * head_size + 16 * i + half);
    for (unsigned key = 0; key < keys; key += 16) {
        float8 s = {};
        for (unsigned i = 0; i < steps; ++i) {
            const auto* const row = k + (key + lane % 16) * head_size + 16 * i + half;
            s = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(
                *reinterpret_cast<const half8*>(row), queries[i], s);
        }
        const half8 p = hand_over<Way>(s);
        for (unsigned i = 0; i < steps; ++i) {
            const auto* const column = v + (16 * i + lane % 16) * keys + key + half;
            out[i] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(
                *reinterpret_cast<const half8*>(column), p, out[i]);
        }
    }
    for (unsigned i = 0; i < steps; ++i)
        for (unsigned e = 0; e < 8; ++e)
            o[query * head_size + 16 * i + half + e] = out[i][e];
}

template<handover Way>
__global__ __launch_bounds__(128) void attention(const _Float16* q, const _Float16* k,
                                                 const _Float16* v, float* o) {
    attend<Way>(q, k, v, o);
}

/// With too few registers, so that accumulators are spilled.
__attribute__((amdgpu_num_vgpr(80))) __global__ __launch_bounds__(128) void attention_spilled(
    const _Float16* q, const _Float16* k, const _Float16* v, float* o) {
    attend<handover::registers>(q, k, v, o);
}

} // namespace clock_ladder
