// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Two devices (R9V_EMULATOR_DEVICES=2): each with its memory, its code and its streams.

#include <r9v_emulator/testing.hpp>

#include "support.hpp"
#include <numeric>

namespace {

__device__ int on_each_device = 7;

__global__ void add_symbol(int* data, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) data[i] += on_each_device;
}
__global__ void copy(int* to, const int* from, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) to[i] = from[i];
}

class Devices : public testing::Test {
    void SetUp() override { select(0); }
    void TearDown() override { select(0); }

public:
    static void select(int device) { ASSERT_EQ(hipSetDevice(device), hipSuccess); }
};

TEST_F(Devices, AreCountedAndSelectedByThread) {
    int count = 0, device = 5;
    R9V_HIP(hipGetDeviceCount(&count));
    ASSERT_EQ(count, 2);
    R9V_HIP(hipSetDevice(1));
    R9V_HIP(hipGetDevice(&device));
    EXPECT_EQ(device, 1);
    std::thread([&] { EXPECT_EQ(hipGetDevice(&device), hipSuccess); }).join();
    EXPECT_EQ(device, 0);
    R9V_HIP_IS(hipErrorInvalidDevice, hipSetDevice(2));
    hipDeviceProp_t first, second;
    R9V_HIP(hipGetDeviceProperties(&first, 0));
    R9V_HIP(hipGetDeviceProperties(&second, 1));
    EXPECT_STREQ(first.name, second.name);
    EXPECT_NE(first.pciBusID, second.pciBusID);
    char text[32];
    R9V_HIP(hipDeviceGetPCIBusId(text, sizeof text, 1));
    R9V_HIP(hipDeviceGetByPCIBusId(&device, text));
    EXPECT_EQ(device, 1);
}

TEST_F(Devices, HaveMemoryOfTheirOwn) {
    std::size_t free_before[2], free_now = 0, total = 0;
    for (int d = 0; d < 2; ++d) {
        select(d);
        R9V_HIP(hipMemGetInfo(&free_before[d], &total));
    }
    void* data = nullptr;
    R9V_HIP(hipMalloc(&data, 1 << 20));
    R9V_HIP(hipMemGetInfo(&free_now, &total));
    EXPECT_EQ(free_now, free_before[1] - (1 << 20));
    hipPointerAttribute_t attributes;
    R9V_HIP(hipPointerGetAttributes(&attributes, data));
    EXPECT_EQ(attributes.device, 1);
    int ordinal = -1;
    R9V_HIP(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, data));
    EXPECT_EQ(ordinal, 1);
    select(0);
    R9V_HIP(hipMemGetInfo(&free_now, &total));
    EXPECT_EQ(free_now, free_before[0]);
    R9V_HIP(hipFree(data)); // whichever device is selected
}

TEST_F(Devices, HaveCodeOfTheirOwn) {
    for (int d = 0; d < 2; ++d) {
        select(d);
        const int value = 10 * (d + 1);
        R9V_HIP(hipMemcpyToSymbol(HIP_SYMBOL(on_each_device), &value, sizeof value));
    }
    void* symbols[2];
    for (int d = 0; d < 2; ++d) {
        select(d);
        R9V_HIP(hipGetSymbolAddress(&symbols[d], HIP_SYMBOL(on_each_device)));
        device_array<int> data(std::vector<int>(100, d));
        add_symbol<<<1, 128>>>(data.data(), 100);
        R9V_HIP(hipDeviceSynchronize());
        EXPECT_EQ(data.host(), std::vector<int>(100, 10 * (d + 1) + d));
    }
    EXPECT_NE(symbols[0], symbols[1]);
}

/// A launch goes to the device of its stream.
TEST_F(Devices, StreamsBelongToTheDeviceThatMadeThem) {
    select(1);
    hipStream_t stream = nullptr;
    R9V_HIP(hipStreamCreate(&stream));
    device_array<int> data(std::vector<int>(64, 1));
    const int value = 100;
    R9V_HIP(hipMemcpyToSymbol(HIP_SYMBOL(on_each_device), &value, sizeof value));
    select(0);
    add_symbol<<<1, 64, 0, stream>>>(data.data(), 64);
    R9V_HIP(hipStreamSynchronize(stream));
    EXPECT_EQ(data.host(), std::vector<int>(64, 101));
    R9V_HIP(hipStreamDestroy(stream));
}

TEST_F(Devices, WaitForTheirOwnWork) {
    select(1);
    hipStream_t stream = nullptr;
    R9V_HIP(hipStreamCreate(&stream));
    {
        const gate held(stream);
        select(0);
        R9V_HIP(hipDeviceSynchronize()); // does not wait for device 1
        EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    }
    select(1);
    R9V_HIP(hipDeviceSynchronize());
    R9V_HIP(hipStreamQuery(stream));
    R9V_HIP(hipStreamDestroy(stream));
}

TEST_F(Devices, CopyBetweenEachOther) {
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 0);
    device_array<int> here(values);
    select(1);
    device_array<int> there(values.size());
    const std::size_t bytes = values.size() * sizeof(int);
    R9V_HIP(hipMemcpyPeer(there.data(), 1, here.data(), 0, bytes));
    EXPECT_EQ(there.host(), values);
    add_symbol<<<8, 128>>>(there.data(), 1000);
    R9V_HIP(hipMemcpyPeerAsync(here.data(), 0, there.data(), 1, bytes, nullptr));
    R9V_HIP(hipDeviceSynchronize());
    EXPECT_EQ(here.host(), there.host());
    R9V_HIP(hipMemcpy(there.data(), here.data(), bytes, hipMemcpyDefault));
    R9V_HIP_IS(hipErrorInvalidDevice, hipMemcpyPeer(there.data(), 2, here.data(), 0, bytes));
    R9V_HIP_IS(hipErrorInvalidValue, hipMemcpyPeer(there.data(), 0, here.data(), 0, bytes));
}

TEST_F(Devices, OpenTheirMemoryToPeers) {
    int possible = 0;
    R9V_HIP(hipDeviceCanAccessPeer(&possible, 0, 1));
    EXPECT_EQ(possible, 1);
    R9V_HIP(hipDeviceCanAccessPeer(&possible, 1, 1));
    EXPECT_EQ(possible, 0);
    R9V_HIP(hipDeviceGetP2PAttribute(&possible, hipDevP2PAttrAccessSupported, 0, 1));
    EXPECT_EQ(possible, 1);
    R9V_HIP_IS(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(0, 0));
    R9V_HIP_IS(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(1));
    select(1);
    device_array<int> there(std::vector<int>(64, 5));
    select(0);
    device_array<int> here(64);
    R9V_HIP(hipDeviceEnablePeerAccess(1, 0));
    R9V_HIP_IS(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(1, 0));
    copy<<<1, 64>>>(here.data(), there.data(), 64);
    copy<<<1, 64>>>(there.data(), here.data(), 64);
    R9V_HIP(hipDeviceSynchronize());
    EXPECT_EQ(here.host(), std::vector<int>(64, 5));
    R9V_HIP(hipDeviceDisablePeerAccess(1));
}

TEST_F(Devices, AreContexts) {
    hipCtx_t first = nullptr, second = nullptr, now = nullptr;
    R9V_HIP(hipDevicePrimaryCtxRetain(&first, 0));
    R9V_HIP(hipDevicePrimaryCtxRetain(&second, 1));
    EXPECT_NE(first, second);
    R9V_HIP(hipCtxPushCurrent(second));
    int device = 0;
    R9V_HIP(hipCtxGetDevice(&device));
    EXPECT_EQ(device, 1);
    R9V_HIP(hipCtxPopCurrent(&now));
    EXPECT_EQ(now, second);
    R9V_HIP(hipCtxGetCurrent(&now));
    EXPECT_EQ(now, first);
    R9V_HIP_IS(hipErrorInvalidContext, hipCtxPopCurrent(&now));
    R9V_HIP_IS(hipErrorInvalidContext, hipCtxSetCurrent(nullptr));
}

/// Without that, a kernel that touches a peer's memory is stopped, and the mistake named.
TEST_F(Devices, RefusePeersThatWereNotLetIn) {
    select(1);
    device_array<int> there(std::vector<int>(64, 5));
    select(0);
    device_array<int> here(64);
    copy<<<1, 64>>>(here.data(), there.data(), 64);
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    const auto faults = r9v_emulator::take_faults();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "memory of another device");
    EXPECT_NE(faults[0].detail.find("hipDeviceEnablePeerAccess"), std::string::npos);
    static_cast<void>(hipGetLastError());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

} // namespace
