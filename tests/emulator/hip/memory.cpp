// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "support.hpp"
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>

namespace {

std::vector<unsigned char> ramp(std::size_t count) {
    std::vector<unsigned char> result(count);
    for (std::size_t i = 0; i < count; ++i)
        result[i] = static_cast<unsigned char>(i * 7 + 3);
    return result;
}

TEST(Memory, CopiesInEveryDirection) {
    const auto host = ramp(1000);
    const device_array<unsigned char> first(host), second(1000);
    R9V_HIP(hipMemcpy(second.data(), first.data(), 1000, hipMemcpyDeviceToDevice));
    EXPECT_EQ(second.host(), host);
    std::vector<unsigned char> other(1000);
    R9V_HIP(hipMemcpy(other.data(), host.data(), 1000, hipMemcpyHostToHost));
    EXPECT_EQ(other, host);
    R9V_HIP(hipMemcpy(second.data() + 10, host.data(), 100, hipMemcpyDefault));
    R9V_HIP(hipMemcpy(other.data(), second.data() + 10, 100, hipMemcpyDefault));
    EXPECT_EQ(std::memcmp(other.data(), host.data(), 100), 0);
    R9V_HIP(hipMemcpyHtoD(second.data(), const_cast<unsigned char*>(host.data()), 1000));
    R9V_HIP(hipMemcpyDtoD(first.data(), second.data() + 500, 500));
    R9V_HIP(hipMemcpyDtoH(other.data(), first.data(), 500));
    EXPECT_EQ(std::memcmp(other.data(), host.data() + 500, 500), 0);
    R9V_HIP(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDefault));
}

TEST(Memory, RefusedCopies) {
    std::vector<unsigned char> host(1000);
    const device_array<unsigned char> data(1000);
    R9V_HIP_IS(hipErrorInvalidValue,
               hipMemcpy(data.data(), host.data(), 1001, hipMemcpyHostToDevice));
    R9V_HIP_IS(hipErrorInvalidValue,
               hipMemcpy(host.data(), data.data() + 1, 1000, hipMemcpyDeviceToHost));
    R9V_HIP_IS(hipErrorInvalidValue, hipMemcpy(nullptr, data.data(), 8, hipMemcpyDeviceToHost));
    R9V_HIP_IS(hipErrorInvalidMemcpyDirection,
               hipMemcpy(host.data(), data.data(), 8, hipMemcpyHostToDevice));
    R9V_HIP_IS(hipErrorInvalidMemcpyDirection,
               hipMemcpy(host.data(), data.data(), 8, hipMemcpyHostToHost));
    R9V_HIP_IS(hipErrorInvalidMemcpyDirection,
               hipMemcpy(host.data(), data.data(), 8, static_cast<hipMemcpyKind>(9)));
    R9V_HIP_IS(hipErrorInvalidValue, hipMemset(data.data(), 0, 1001));
    R9V_HIP_IS(hipErrorInvalidValue, hipMemset(host.data(), 0, 10));
    EXPECT_EQ(hipPeekAtLastError(), hipSuccess);
    EXPECT_EQ(hipMemset(nullptr, 0, 4), hipErrorInvalidValue);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
}

TEST(Memory, Rows) {
    const auto host = ramp(20 * 8);
    unsigned char* data = nullptr;
    std::size_t pitch = 0;
    R9V_HIP(hipMallocPitch(reinterpret_cast<void**>(&data), &pitch, 20, 8));
    EXPECT_EQ(pitch % 256, 0U);
    R9V_HIP(hipMemcpy2D(data, pitch, host.data(), 20, 20, 8, hipMemcpyHostToDevice));
    std::vector<unsigned char> back(12 * 5);
    R9V_HIP(
        hipMemcpy2D(back.data(), 12, data + 2 * pitch + 3, pitch, 12, 5, hipMemcpyDeviceToHost));
    for (std::size_t y = 0; y < 5; ++y) {
        for (std::size_t x = 0; x < 12; ++x) {
            ASSERT_EQ(back[y * 12 + x], host[(y + 2) * 20 + x + 3]);
        }
    }
    R9V_HIP_IS(hipErrorInvalidPitchValue,
               hipMemcpy2D(data, 10, host.data(), 20, 20, 8, hipMemcpyHostToDevice));
    R9V_HIP(hipMemset2D(data, pitch, 0x5a, 20, 8));
    R9V_HIP(hipMemcpy2D(back.data(), 12, data, pitch, 12, 5, hipMemcpyDeviceToHost));
    EXPECT_EQ(back, std::vector<unsigned char>(60, 0x5a));
    R9V_HIP(hipFree(data));
}

TEST(Memory, Box) {
    const std::size_t width = 6, height = 5, depth = 4;
    auto host = ramp(width * height * depth);
    hipPitchedPtr device;
    R9V_HIP(hipMalloc3D(&device, make_hipExtent(width, height, depth)));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(host.data(), width, width, height);
    copy.dstPtr = device;
    copy.extent = make_hipExtent(width, height, depth);
    copy.kind = hipMemcpyHostToDevice;
    R9V_HIP(hipMemcpy3D(&copy));
    std::vector<unsigned char> back(3 * 2 * 2);
    copy.srcPtr = device;
    copy.srcPos = make_hipPos(1, 2, 1);
    copy.dstPtr = make_hipPitchedPtr(back.data(), 3, 3, 2);
    copy.extent = make_hipExtent(3, 2, 2);
    copy.kind = hipMemcpyDeviceToHost;
    R9V_HIP(hipMemcpy3D(&copy));
    for (std::size_t z = 0; z < 2; ++z) {
        for (std::size_t y = 0; y < 2; ++y) {
            for (std::size_t x = 0; x < 3; ++x) {
                ASSERT_EQ(back[(z * 2 + y) * 3 + x],
                          host[((z + 1) * height + y + 2) * width + x + 1]);
            }
        }
    }
    R9V_HIP(hipFree(device.ptr));
}

TEST(Memory, Patterns) {
    const device_array<unsigned char> data(16);
    R9V_HIP(hipMemsetD8(data.data(), 0x11, 16));
    R9V_HIP(hipMemsetD16(data.data() + 4, 0x2233, 2));
    R9V_HIP(hipMemsetD32Async(data.data() + 8, 0x44556677, 1, nullptr));
    const std::vector<unsigned char> expected = {0x11, 0x11, 0x11, 0x11, 0x33, 0x22, 0x33, 0x22,
                                                 0x77, 0x66, 0x55, 0x44, 0x11, 0x11, 0x11, 0x11};
    EXPECT_EQ(data.host(), expected);
}

TEST(Memory, AllocationAndRelease) {
    std::size_t before = 0, during = 0, after = 0, total = 0;
    R9V_HIP(hipMemGetInfo(&before, &total));
    void* data = nullptr;
    R9V_HIP(hipMalloc(&data, 1 << 20));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 256, 0U);
    EXPECT_LT(reinterpret_cast<std::uintptr_t>(data), std::uintptr_t{1} << 47);
    R9V_HIP(hipMemGetInfo(&during, &total));
    EXPECT_LE(during + (1 << 20), before);
    R9V_HIP_IS(hipErrorInvalidValue, hipFree(static_cast<char*>(data) + 256));
    R9V_HIP(hipFree(data));
    R9V_HIP_IS(hipErrorInvalidValue, hipFree(data));
    R9V_HIP(hipFree(nullptr));
    R9V_HIP(hipMemGetInfo(&after, &total));
    EXPECT_EQ(before, after);
    R9V_HIP_IS(hipErrorOutOfMemory, hipMalloc(&data, total + 1));
    EXPECT_EQ(data, nullptr);
    R9V_HIP(hipMalloc(&data, 0));
    EXPECT_EQ(data, nullptr);
    R9V_HIP_IS(hipErrorInvalidValue, hipMalloc(static_cast<void**>(nullptr), 4));
}

__global__ void increase(int* values) {
    values[threadIdx.x] += 5;
}

TEST(Memory, PinnedHostMemoryIsSharedWithKernels) {
    int* values = nullptr;
    R9V_HIP(
        hipHostMalloc(reinterpret_cast<void**>(&values), 32 * sizeof(int), hipHostMallocMapped));
    std::iota(values, values + 32, 0);
    void* device = nullptr;
    R9V_HIP(hipHostGetDevicePointer(&device, values, 0));
    increase<<<1, 32>>>(static_cast<int*>(device));
    R9V_HIP(hipDeviceSynchronize());
    for (int i = 0; i < 32; ++i)
        ASSERT_EQ(values[i], i + 5);
    unsigned flags = 0;
    R9V_HIP(hipHostGetFlags(&flags, values));
    EXPECT_EQ(flags, unsigned{hipHostMallocMapped});
    R9V_HIP_IS(hipErrorInvalidValue, hipFree(values));
    R9V_HIP(hipHostFree(values));
    R9V_HIP_IS(hipErrorInvalidValue, hipHostFree(values));
}

TEST(Memory, RegisteredHostMemory) {
    std::vector<int> values(32, 1);
    const auto bytes = values.size() * sizeof(int);
    R9V_HIP(hipHostRegister(values.data(), bytes, hipHostRegisterDefault));
    R9V_HIP_IS(hipErrorHostMemoryAlreadyRegistered,
               hipHostRegister(values.data(), bytes, hipHostRegisterDefault));
    increase<<<1, 32>>>(values.data());
    R9V_HIP(hipDeviceSynchronize());
    EXPECT_EQ(values, std::vector<int>(32, 6));
    R9V_HIP(hipHostUnregister(values.data()));
    R9V_HIP_IS(hipErrorHostMemoryNotRegistered, hipHostUnregister(values.data()));
}

TEST(Memory, ManagedMemory) {
    int* values = nullptr;
    R9V_HIP(
        hipMallocManaged(reinterpret_cast<void**>(&values), 32 * sizeof(int), hipMemAttachGlobal));
    for (int i = 0; i < 32; ++i)
        values[i] = 2 * i;
    increase<<<1, 32>>>(values);
    R9V_HIP(hipDeviceSynchronize());
    for (int i = 0; i < 32; ++i)
        ASSERT_EQ(values[i], 2 * i + 5);
    R9V_HIP(hipFree(values));
}

TEST(Memory, PointerAttributes) {
    const device_array<int> data(16);
    hipPointerAttribute_t found;
    R9V_HIP(hipPointerGetAttributes(&found, data.data() + 3));
    EXPECT_EQ(found.memoryType, hipMemoryTypeDevice);
    EXPECT_EQ(found.devicePointer, data.data() + 3);
    EXPECT_EQ(found.hostPointer, nullptr);
    EXPECT_EQ(found.isManaged, 0);
    int local = 0;
    R9V_HIP_IS(hipErrorInvalidValue, hipPointerGetAttributes(&found, &local));
    void* base = nullptr;
    std::size_t size = 0;
    R9V_HIP(hipMemGetAddressRange(&base, &size, data.data() + 7));
    EXPECT_EQ(base, data.data());
    EXPECT_EQ(size, 64U);
    void* pinned = nullptr;
    R9V_HIP(hipHostMalloc(&pinned, 64, hipHostMallocDefault));
    R9V_HIP(hipPointerGetAttributes(&found, pinned));
    EXPECT_EQ(found.memoryType, hipMemoryTypeHost);
    EXPECT_EQ(found.hostPointer, pinned);
    R9V_HIP(hipHostFree(pinned));
}

__device__ int counter = 7;
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int* pointer_to_counter = &counter;
__managed__ int managed_value = 42;

__global__ void use_symbols(float* out) {
    out[0] = static_cast<float>(*pointer_to_counter);
    out[1] = table[2];
    out[2] = static_cast<float>(managed_value);
    counter = 100;
    managed_value = 43;
}

TEST(Memory, Symbols) {
    EXPECT_EQ(managed_value, 42);
    int value = 0;
    R9V_HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof(int)));
    EXPECT_EQ(value, 7);
    value = 9;
    R9V_HIP(hipMemcpyToSymbol(HIP_SYMBOL(counter), &value, sizeof(int)));
    const float changed = 30;
    R9V_HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), &changed, sizeof(float), 2 * sizeof(float)));
    const device_array<float> out(3);
    use_symbols<<<1, 1>>>(out.data());
    R9V_HIP(hipDeviceSynchronize());
    EXPECT_EQ(out.host(), (std::vector<float>{9, 30, 42}));
    EXPECT_EQ(managed_value, 43);
    R9V_HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof(int)));
    EXPECT_EQ(value, 100);

    void* address = nullptr;
    std::size_t size = 0;
    R9V_HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
    R9V_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
    EXPECT_EQ(size, sizeof(table));
    float read[4];
    R9V_HIP(hipMemcpy(read, address, sizeof(read), hipMemcpyDeviceToHost));
    EXPECT_EQ(read[2], 30);
    const int first_counter = 7;
    const float first_entry = 3;
    R9V_HIP(hipMemcpyToSymbol(HIP_SYMBOL(counter), &first_counter, sizeof(int)));
    R9V_HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), &first_entry, sizeof(float), 2 * sizeof(float)));
    managed_value = 42;
    R9V_HIP_IS(hipErrorInvalidSymbol, hipGetSymbolAddress(&address, &value));
    R9V_HIP_IS(hipErrorInvalidValue,
               hipMemcpyToSymbol(HIP_SYMBOL(table), read, sizeof(read), sizeof(float)));
}

} // namespace
