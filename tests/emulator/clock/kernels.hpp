// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Small kernels whose time on a card has been published, or whose cycles have been traced.
#pragma once

#include <hip/hip_runtime.h>

namespace clock_kernels {

using half8 = __attribute__((ext_vector_type(8))) _Float16;
using short8 = __attribute__((ext_vector_type(8))) short;
using int2v = __attribute__((ext_vector_type(2))) int;
using float8 = __attribute__((ext_vector_type(8))) float;
using float4v = __attribute__((ext_vector_type(4))) float;
using uint4v = __attribute__((ext_vector_type(4))) unsigned;

/// What every block of a WMMA loop does: this many rounds of eight independent products.
constexpr int wmma_rounds = 512, wmma_a_round = 8;

__device__ inline float sum(const float8 (&d)[wmma_a_round]) {
    float s = 0;
    for (const float8& x : d)
        for (int i = 0; i < 8; ++i)
            s += x[i];
    return s;
}

__device__ inline void store_sum(float* out, const float8 (&d)[wmma_a_round], float more) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum(d) + more;
}

__global__ void wmma_f16(float* out) {
    const half8 a = static_cast<_Float16>(threadIdx.x), b = static_cast<_Float16>(1);
    float8 d[wmma_a_round] = {};
    for (int r = 0; r < wmma_rounds; ++r)
        for (float8& x : d)
            x = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, x);
    store_sum(out, d, 0);
}

__global__ void wmma_fp8(float* out) {
    const int2v a = static_cast<int>(threadIdx.x), b = 0x38383838;
    float8 d[wmma_a_round] = {};
    for (int r = 0; r < wmma_rounds; ++r)
        for (float8& x : d)
            x = __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, x);
    store_sum(out, d, 0);
}

#define R9V_WMMA(d) "v_wmma_f32_16x16x16_bf16 %" #d ", %16, %17, %" #d "\n"
#define R9V_EXP(x) "v_exp_f32 %" #x ", %" #x "\n"
#define R9V_OPERANDS                                                                               \
    : "+v"(d[0]), "+v"(d[1]), "+v"(d[2]), "+v"(d[3]), "+v"(d[4]), "+v"(d[5]), "+v"(d[6]),          \
      "+v"(d[7]), "+v"(x[0]), "+v"(x[1]), "+v"(x[2]), "+v"(x[3]), "+v"(x[4]), "+v"(x[5]),          \
      "+v"(x[6]), "+v"(x[7])                                                                       \
    : "v"(a), "v"(b)

enum class exponentials { none, between, behind };

/// Eight bf16 products a round, with an exponential after each of them, after all, or without.
template<exponentials Where>
__global__ void wmma_bf16(float* out) {
    const short8 a = static_cast<short>(0x3f80), b = static_cast<short>(0x3f80);
    float8 d[wmma_a_round] = {};
    float x[wmma_a_round];
    for (int i = 0; i < wmma_a_round; ++i)
        x[i] = static_cast<float>(i);
    for (int r = 0; r < wmma_rounds; ++r) {
        if constexpr (Where == exponentials::between)
            asm volatile(R9V_WMMA(0) R9V_EXP(8) R9V_WMMA(1) R9V_EXP(9) R9V_WMMA(2) R9V_EXP(10)
                             R9V_WMMA(3) R9V_EXP(11) R9V_WMMA(4) R9V_EXP(12) R9V_WMMA(5) R9V_EXP(13)
                                 R9V_WMMA(6) R9V_EXP(14) R9V_WMMA(7) R9V_EXP(15) R9V_OPERANDS);
        else
            asm volatile(R9V_WMMA(0) R9V_WMMA(1) R9V_WMMA(2) R9V_WMMA(3) R9V_WMMA(4) R9V_WMMA(5)
                             R9V_WMMA(6) R9V_WMMA(7) R9V_OPERANDS);
        if constexpr (Where == exponentials::behind)
            asm volatile(R9V_EXP(8) R9V_EXP(9) R9V_EXP(10) R9V_EXP(11) R9V_EXP(12) R9V_EXP(13)
                             R9V_EXP(14) R9V_EXP(15) R9V_OPERANDS);
    }
    float more = 0;
    for (const float e : x)
        more += e;
    store_sum(out, d, more);
}

#undef R9V_WMMA
#undef R9V_EXP
#undef R9V_OPERANDS

/// Where a __shared__ array lies in LDS.
__device__ inline unsigned lds_address(const void* data) {
    using in_lds = const __attribute__((address_space(3))) void*;
    return static_cast<unsigned>(reinterpret_cast<std::size_t>((in_lds)(data))); // NOLINT
}

/// Single latencies, each after a pause in which all that came before has finished. A wave alone.
__global__ void latencies(float* out) {
    __shared__ float4v data[128];
    data[threadIdx.x] = data[threadIdx.x + 32] = float4v(1);
    __syncthreads();
    float4v x, y;
    float z = 1, w = 2;
    const unsigned at = lds_address(data) + threadIdx.x * 16;
    const unsigned dword = lds_address(data) + threadIdx.x * 4;
    asm volatile("s_nop 15\n s_nop 15\n ds_load_b32 %0, %1\n s_wait_dscnt 0x0\n"
                 : "=&v"(z)
                 : "v"(dword)
                 : "memory");
    asm volatile("s_nop 15\n s_nop 15\n ds_store_b32 %1, %0\n s_wait_dscnt 0x0\n" ::"v"(z),
                 "v"(dword)
                 : "memory");
    asm volatile("s_nop 15\n s_nop 15\n ds_load_b128 %0, %2\n ds_load_b128 %1, %2 offset:512\n"
                 "s_wait_dscnt 0x0\n"
                 : "=&v"(x), "=&v"(y)
                 : "v"(at)
                 : "memory");
    asm volatile("s_nop 15\n s_nop 15\n s_barrier_signal -1\n s_barrier_wait -1\n s_nop 0" ::
                     : "memory");
    asm volatile("s_nop 15\n s_nop 15\n"
                 "v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n"
                 "v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n"
                 "v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n"
                 "v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n"
                 "v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n"
                 "v_add_f32 %0, %0, %1\n v_add_f32 %0, %0, %1\n"
                 : "+v"(z)
                 : "v"(w));
    out[threadIdx.x] = x[0] + y[0] + z;
}

/// Lane i reads row i of a matrix of `Stride` bytes a row.
template<unsigned Bytes, unsigned Stride>
__global__ void lds_rows(float* out) {
    __shared__ unsigned char data[32 * Stride + 16];
    for (unsigned i = threadIdx.x; i < (32 * Stride + 16) / 4; i += 32)
        reinterpret_cast<unsigned*>(data)[i] = i;
    __syncthreads();
    const unsigned at = lds_address(data) + threadIdx.x * Stride;
    float4v x = {};
    if constexpr (Bytes == 16)
        asm volatile("ds_load_b128 %0, %1\n s_wait_dscnt 0x0" : "=&v"(x) : "v"(at) : "memory");
    else if constexpr (Bytes == 8)
        asm volatile("ds_load_b64 %0, %1\n s_wait_dscnt 0x0"
                     : "=&v"(*reinterpret_cast<double*>(&x))
                     : "v"(at)
                     : "memory");
    else
        asm volatile("ds_load_b32 %0, %1\n s_wait_dscnt 0x0" : "=&v"(x[0]) : "v"(at) : "memory");
    out[threadIdx.x] = x[0];
}

__global__ void nothing() {}

/// One element of T a thread.
template<class T>
__global__ void read_all(const T* in, float* out) {
    const T x = in[blockIdx.x * blockDim.x + threadIdx.x];
    float s;
    if constexpr (sizeof(T) == 16)
        s = x[0] + x[1] + x[2] + x[3];
    else
        s = x;
    if (s == 1.2345e30f) *out = s;
}
__global__ void write_all(float4v* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = float4v(static_cast<float>(threadIdx.x));
}
__global__ void copy_all(const float4v* in, float4v* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

/// y = W x with 4-bit weights, 4096 columns; a wave takes one row after another and has one load of
/// weights in flight. x lies in the order in which lanes need it.
constexpr unsigned gemv_size = 4096;
__global__ void gemv(const uint4v* weights, const float4v* x, float* y, unsigned rows_a_wave) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned wave = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    constexpr unsigned vectors_a_row = gemv_size / 32;
    for (unsigned r = 0; r < rows_a_wave; ++r) {
        const unsigned row = wave * rows_a_wave + r;
        float s = 0;
#pragma clang loop unroll(disable)
        for (unsigned v = lane; v < vectors_a_row; v += 32) {
            const uint4v q = weights[row * vectors_a_row + v];
            for (unsigned word = 0; word < 4; ++word)
                for (unsigned n = 0; n < 8; n += 4) {
                    const float4v f = x[((v / 32) * 8 + word * 2 + n / 4) * 32 + lane];
                    for (unsigned i = 0; i < 4; ++i)
                        s += static_cast<float>(q[word] >> (4 * (n + i)) & 15) * f[i];
                }
        }
        for (int step = 16; step; step /= 2)
            s += __shfl_xor(s, step);
        if (lane == 0) y[row] = s;
    }
}

} // namespace clock_kernels
