// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Launches: arguments, shapes, hidden arguments, refusals. Compiled at -O0 and -O3.

#include <r9v_emulator/testing.hpp>

#include "support.hpp"
#include <cstdint>

// Not in the unnamed namespace: dynamic LDS has external linkage.
__global__ void reverse(int* data) {
    extern __shared__ int stage[];
    stage[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = stage[blockDim.x - 1 - threadIdx.x];
}

namespace {

__global__ void add(const float* a, const float* b, float* sum, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) sum[i] = a[i] + b[i];
}

TEST(Launch, VectorAdd) {
    for (const int count : {1, 31, 32, 33, 255, 256, 257, 1000}) {
        const auto n = static_cast<std::size_t>(count);
        std::vector<float> a(n), b(n);
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = 0.5F * static_cast<float>(i) - 3;
            b[i] = 7 - 0.25F * static_cast<float>(i * i % 97);
        }
        const device_array<float> da(a), db(b), sum(n);
        add<<<static_cast<unsigned>(count + 255) / 256, 256>>>(da.data(), db.data(), sum.data(),
                                                               count);
        R9V_HIP(hipGetLastError());
        R9V_HIP(hipDeviceSynchronize());
        const auto result = sum.host();
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(result[i], a[i] + b[i]) << i;
    }
}

struct shape {
    std::uint32_t block[3], thread[3], blocks[3], threads[3];
};

__global__ void note_shape(shape* out) {
    const auto block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const auto thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    auto& mine = out[block * blockDim.x * blockDim.y * blockDim.z + thread];
    mine.block[0] = blockIdx.x;
    mine.block[1] = blockIdx.y;
    mine.block[2] = blockIdx.z;
    mine.thread[0] = threadIdx.x;
    mine.thread[1] = threadIdx.y;
    mine.thread[2] = threadIdx.z;
    mine.blocks[0] = gridDim.x;
    mine.blocks[1] = gridDim.y;
    mine.blocks[2] = gridDim.z;
    mine.threads[0] = blockDim.x;
    mine.threads[1] = blockDim.y;
    mine.threads[2] = blockDim.z;
}

void check_shapes(dim3 blocks, dim3 threads) {
    const std::size_t block_size = threads.x * threads.y * threads.z;
    const std::size_t count = blocks.x * blocks.y * blocks.z * block_size;
    const device_array<shape> out(count);
    note_shape<<<blocks, threads>>>(out.data());
    R9V_HIP(hipDeviceSynchronize());
    const auto all = out.host();
    for (std::size_t i = 0; i < count; ++i) {
        const auto block = i / block_size;
        const auto thread = i % block_size;
        ASSERT_EQ(all[i].block[0], block % blocks.x);
        ASSERT_EQ(all[i].block[1], block / blocks.x % blocks.y);
        ASSERT_EQ(all[i].block[2], block / blocks.x / blocks.y);
        ASSERT_EQ(all[i].thread[0], thread % threads.x);
        ASSERT_EQ(all[i].thread[1], thread / threads.x % threads.y);
        ASSERT_EQ(all[i].thread[2], thread / threads.x / threads.y);
        ASSERT_EQ(all[i].blocks[0], blocks.x);
        ASSERT_EQ(all[i].blocks[1], blocks.y);
        ASSERT_EQ(all[i].blocks[2], blocks.z);
        ASSERT_EQ(all[i].threads[0], threads.x);
        ASSERT_EQ(all[i].threads[1], threads.y);
        ASSERT_EQ(all[i].threads[2], threads.z);
    }
}

TEST(Launch, Shapes) {
    check_shapes(dim3(3), dim3(40));
    check_shapes(dim3(2, 3), dim3(5, 7));
    check_shapes(dim3(2, 3, 4), dim3(3, 5, 2));
    check_shapes(dim3(1, 1, 3), dim3(1, 1, 33));
}

struct packed {
    char first;
    double second;
    short third[3];
};

__global__ void take_many(char c, packed p, short s, double* out, std::uint64_t wide, bool flag) {
    out[0] = c;
    out[1] = p.first;
    out[2] = p.second;
    out[3] = p.third[0] + 100 * p.third[1] + 10000 * p.third[2];
    out[4] = s;
    out[5] = static_cast<double>(wide);
    out[6] = flag ? 1 : 2;
}

TEST(Launch, ArgumentsOfManySizes) {
    const device_array<double> out(7);
    take_many<<<1, 1>>>('x', packed{'y', 2.5, {1, 2, 3}}, -7, out.data(), 1ULL << 40, true);
    R9V_HIP(hipDeviceSynchronize());
    const std::vector<double> expected = {'x', 'y', 2.5, 30201, -7, 1099511627776.0, 1};
    EXPECT_EQ(out.host(), expected);
}

TEST(Launch, DynamicLds) {
    std::vector<int> values(96);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<int>(i * i);
    const device_array<int> data(values);
    reverse<<<1, 96, 96 * sizeof(int)>>>(data.data());
    R9V_HIP(hipDeviceSynchronize());
    const auto result = data.host();
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(result[i], values[95 - i]);
    EXPECT_EQ(r9v_emulator::last_launch().lds_bytes, 96 * sizeof(int));
}

__global__ void __launch_bounds__(64) bounded(int* out) {
    out[threadIdx.x] = 1;
}

TEST(Launch, Refusals) {
    const device_array<int> out(1024);
    int* pointer = out.data();
    void* arguments[] = {&pointer};
    const auto launch = [&](dim3 blocks, dim3 threads, std::size_t lds) {
        return hipLaunchKernel(reinterpret_cast<const void*>(bounded), blocks, threads, arguments,
                               lds, nullptr);
    };
    R9V_HIP_IS(hipErrorInvalidConfiguration, launch(dim3(0), dim3(64), 0));
    R9V_HIP_IS(hipErrorInvalidConfiguration, launch(dim3(1), dim3(64, 0), 0));
    R9V_HIP_IS(hipErrorInvalidConfiguration, launch(dim3(1), dim3(1025), 0));
    R9V_HIP_IS(hipErrorInvalidConfiguration, launch(dim3(1), dim3(64, 32), 0));
    R9V_HIP_IS(hipErrorInvalidConfiguration, launch(dim3(1, 65536), dim3(64), 0));
    R9V_HIP_IS(hipErrorInvalidConfiguration, launch(dim3(1, 1, 65536), dim3(64), 0));
    R9V_HIP_IS(hipErrorInvalidConfiguration, launch(dim3(1U << 30), dim3(64), 0));
    R9V_HIP_IS(hipErrorLaunchFailure, launch(dim3(1), dim3(65), 0));
    R9V_HIP_IS(hipErrorInvalidValue, launch(dim3(1), dim3(64), 64 * 1024 + 1));
    R9V_HIP_IS(hipErrorInvalidDeviceFunction,
               hipLaunchKernel(&pointer, dim3(1), dim3(64), arguments, 0, nullptr));
    R9V_HIP_IS(hipErrorInvalidDeviceFunction,
               hipLaunchKernel(nullptr, dim3(1), dim3(64), arguments, 0, nullptr));
    R9V_HIP_IS(hipErrorInvalidValue, hipLaunchKernel(reinterpret_cast<const void*>(bounded),
                                                     dim3(1), dim3(64), nullptr, 0, nullptr));
}

TEST(Launch, CountsAndTotals) {
    r9v_emulator::reset_counts();
    const device_array<int> out(64);
    bounded<<<1, 64>>>(out.data());
    bounded<<<1, 32>>>(out.data());
    R9V_HIP(hipDeviceSynchronize());
    const auto last = r9v_emulator::last_launch();
    EXPECT_NE(last.kernel.find("bounded"), std::string::npos);
    EXPECT_EQ(last.threads[0], 32U);
    EXPECT_EQ(last.counts.waves, 1U);
    EXPECT_GE(last.counts.global_bytes_stored, 32U * sizeof(int));
#ifdef __OPTIMIZE__
    EXPECT_EQ(last.counts.global_bytes_stored, 32U * sizeof(int)); // -O0 also stores to its stack
#endif
    const auto all = r9v_emulator::totals();
    EXPECT_EQ(all.launches, 2U);
    EXPECT_EQ(all.counts.waves, 3U);
    ASSERT_EQ(all.kernels.size(), 1U);
    EXPECT_EQ(all.kernels.begin()->second.launches, 2U);
}

} // namespace
