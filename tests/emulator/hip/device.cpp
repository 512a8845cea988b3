// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "support.hpp"
#include <cstring>

namespace {

TEST(Device, Properties) {
    int count = 0;
    R9V_HIP(hipGetDeviceCount(&count));
    EXPECT_EQ(count, 1);
    hipDeviceProp_t p;
    R9V_HIP(hipGetDeviceProperties(&p, 0));
    EXPECT_STREQ(p.name, "AMD Radeon RX 9070 XT");
    EXPECT_STREQ(p.gcnArchName, "gfx1201");
    EXPECT_EQ(p.warpSize, 32);
    EXPECT_EQ(p.multiProcessorCount, 32);
    EXPECT_EQ(p.sharedMemPerBlock, 65536U);
    EXPECT_EQ(p.totalGlobalMem, std::size_t{16} << 30);
    EXPECT_EQ(p.maxThreadsPerBlock, 1024);
    int value = 0;
    R9V_HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    EXPECT_EQ(value, 32);
    R9V_HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
    EXPECT_EQ(value, 65536);
    R9V_HIP_IS(hipErrorInvalidDevice, hipGetDeviceProperties(&p, 1));
    R9V_HIP_IS(hipErrorInvalidDevice, hipSetDevice(1));
    R9V_HIP_IS(hipErrorInvalidValue,
               hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(5555), 0));
}

TEST(Device, ErrorTexts) {
    EXPECT_STREQ(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
    EXPECT_STREQ(hipGetErrorString(hipErrorInvalidValue), "invalid argument");
    EXPECT_STREQ(hipGetErrorName(hipErrorStreamCaptureImplicit), "hipErrorStreamCaptureImplicit");
    EXPECT_STREQ(hipGetErrorString(hipSuccess), "no error");
    EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(12345)), "hipErrorUnknown");
}

__global__ void __launch_bounds__(256) with_lds(float* out) {
    __shared__ float stage[2048];
    stage[threadIdx.x] = static_cast<float>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = stage[255 - threadIdx.x];
}

TEST(Device, FunctionAttributesAndOccupancy) {
    const auto* const kernel = reinterpret_cast<const void*>(with_lds);
    hipFuncAttributes attributes;
    R9V_HIP(hipFuncGetAttributes(&attributes, kernel));
    EXPECT_EQ(attributes.sharedSizeBytes, 8192U);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 256);
    EXPECT_EQ(attributes.localSizeBytes, 0U);
    EXPECT_GT(attributes.numRegs, 0);
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 65536 - 8192);
    R9V_HIP(hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
    R9V_HIP_IS(hipErrorInvalidValue,
               hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 60000));
    R9V_HIP(hipFuncGetAttributes(&attributes, kernel));
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 1024);
    R9V_HIP(hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 65536 - 8192));
    int blocks = 0;
    // 64 waves of 16 x 4 slots, 8 a block: 8 blocks; their LDS allows 128 KiB / 8 KiB = 16.
    R9V_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    EXPECT_EQ(blocks, 8);
    R9V_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 24 * 1024));
    EXPECT_EQ(blocks, 4);
    int grid = 0, block = 0;
    R9V_HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
    EXPECT_EQ(block, 256);
    EXPECT_EQ(grid, 8 * 32);
    R9V_HIP_IS(hipErrorInvalidDeviceFunction, hipFuncGetAttributes(&attributes, &blocks));
}

} // namespace
