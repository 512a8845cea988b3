// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What happens after a kernel did wrong.

#include <r9v_emulator/testing.hpp>

#include "support.hpp"
#include <cstdlib>

namespace {

__global__ void write_one(int* data, int index) {
    data[index] = 1;
}

void write_past_the_end() {
    int* data = nullptr;
    EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&data), 64), hipSuccess);
    write_one<<<1, 1>>>(data, 16);
}

TEST(Faults, AreStickyUntilTaken) {
    write_past_the_end();
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
    EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
    void* pointer = nullptr;
    EXPECT_EQ(hipMalloc(&pointer, 4), hipErrorIllegalAddress);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorIllegalAddress);
    hipEvent_t event;
    EXPECT_EQ(hipEventCreate(&event), hipErrorIllegalAddress);
    int count = 0;
    EXPECT_EQ(hipGetDeviceCount(&count), hipSuccess);

    const auto faults = r9v_emulator::take_faults();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].kernel.find("write_one"), std::string::npos);
    EXPECT_EQ(faults[0].lane, 0);
    EXPECT_NE(faults[0].instruction.find("store"), std::string::npos);
    EXPECT_TRUE(r9v_emulator::take_faults().empty());
    static_cast<void>(hipGetLastError());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipMalloc(&pointer, 4), hipSuccess);
    write_one<<<1, 1>>>(static_cast<int*>(pointer), 0);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    int value = 0;
    EXPECT_EQ(hipMemcpy(&value, pointer, 4, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(hipFree(pointer), hipSuccess);
}

__constant__ int table[16];

__global__ void read_table(int* out) {
    out[threadIdx.x] = table[threadIdx.x];
}

TEST(Faults, KernelsOnlyReadConstants) {
    const std::vector<int> values(16, 5);
    ASSERT_EQ(hipMemcpyToSymbol(HIP_SYMBOL(table), values.data(), 64), hipSuccess);
    void* address = nullptr;
    ASSERT_EQ(hipGetSymbolAddress(&address, HIP_SYMBOL(table)), hipSuccess);
    write_one<<<1, 1>>>(static_cast<int*>(address), 3);
    EXPECT_NE(hipDeviceSynchronize(), hipSuccess);
    const auto faults = r9v_emulator::take_faults();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].kind, "store to constant memory") << faults[0].text();
    static_cast<void>(hipGetLastError());

    // The host may write them at any time, and they are copied from like any memory.
    const std::vector<int> others(16, 6);
    ASSERT_EQ(hipMemcpyToSymbol(HIP_SYMBOL(table), others.data(), 64), hipSuccess);
    device_array<int> out(std::vector<int>(16, 0));
    read_table<<<1, 16>>>(out.data());
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(out.host(), others);
    ASSERT_EQ(hipMemcpy(out.data(), address, 64, hipMemcpyDeviceToDevice), hipSuccess);
    write_one<<<1, 1>>>(out.data(), 3);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(out.host()[3], 1);
}

__global__ void twice(int* data) {
    data[threadIdx.x] *= 2;
}

TEST(Faults, DroppingAWaitIsFound) {
    const device_array<int> data(std::vector<int>(32, 4));
    twice<<<1, 32>>>(data.data());
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(data.host(), std::vector<int>(32, 8));
    ASSERT_EQ(r9v_emulator::kernels_named("twice").size(), 1U);
    const auto waits = r9v_emulator::waits_of("twice");
    ASSERT_GE(waits.size(), 2U); // for the argument and for the load
    for (const auto& wait : waits) {
        auto options = r9v_emulator::options();
        options.dropped = {wait.pc};
        const r9v_emulator::scoped_options mutated(options);
        twice<<<1, 32>>>(data.data());
        static_cast<void>(hipDeviceSynchronize());
        const auto faults = r9v_emulator::take_faults();
        ASSERT_FALSE(faults.empty()) << wait.text;
        EXPECT_NE(faults[0].kind.find("wait"), std::string::npos) << faults[0].text();
    }
    static_cast<void>(hipGetLastError());
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
}

__global__ void reverse(const int* in, int* out) {
    __shared__ int row[64];
    if (threadIdx.x >= 64) return;
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = row[63 - threadIdx.x];
}

TEST(Faults, WavesWithoutWorkMayLeaveBeforeABarrier) {
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i)
        values[static_cast<std::size_t>(i)] = i;
    const device_array<int> in(values);
    const device_array<int> out(std::vector<int>(64, 0));
    reverse<<<1, 128>>>(in.data(), out.data());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(out.host()[3], 60);
}

TEST(Faults, ProfileCountsInstructions) {
    const device_array<int> data(std::vector<int>(96, 4));
    auto options = r9v_emulator::options();
    options.profile = true;
    const r9v_emulator::scoped_options profiled(options);
    twice<<<1, 96>>>(data.data());
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
    const auto profile = r9v_emulator::last_launch().profile;
    const auto all = r9v_emulator::instructions_of("twice");
    ASSERT_FALSE(profile.empty());
    ASSERT_LE(profile.size(), all.size());
    for (const auto& line : profile)
        EXPECT_EQ(line.executed, 3U) << line.text;
    EXPECT_EQ(profile.front().pc, all.front().pc);
}

TEST(FaultsDeathTest, UnreadOnesFailTheProcess) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            write_past_the_end();
            std::exit(0);
        },
        testing::ExitedWithCode(70), "write_one.*\n.*ends with 1 fault reported above");
    EXPECT_EXIT(
        {
            write_past_the_end();
            std::exit(3);
        },
        testing::ExitedWithCode(3), "ends with 1 fault");
    EXPECT_EXIT(
        {
            write_past_the_end();
            static_cast<void>(hipDeviceSynchronize());
            static_cast<void>(r9v_emulator::take_faults());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "write_one");
}

TEST(FaultsDeathTest, LeaksAreReportedOnRequest) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const auto leave = [](bool free) {
        setenv("R9V_EMULATOR_LEAKS", "1", 1);
        void *device = nullptr, *pinned = nullptr;
        EXPECT_EQ(hipMalloc(&device, 100), hipSuccess);
        EXPECT_EQ(hipHostMalloc(&pinned, 5000), hipSuccess);
        if (free) EXPECT_EQ(hipFree(device), hipSuccess);
        if (free) EXPECT_EQ(hipHostFree(pinned), hipSuccess);
        std::exit(0);
    };
    EXPECT_EXIT(
        leave(false), testing::ExitedWithCode(71),
        "2 allocations of 5100 bytes in all were never freed:\n.*5000 bytes at .*hipHostMalloc");
    EXPECT_EXIT(leave(true), testing::ExitedWithCode(0), "");
}

TEST(FaultsDeathTest, AbortOnRequest) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("R9V_EMULATOR_ABORT", "1", 1);
            write_past_the_end();
            static_cast<void>(hipDeviceSynchronize());
        },
        testing::KilledBySignal(SIGABRT), "write_one");
}

TEST(FaultsDeathTest, HostAccessNamesTheAllocation) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            int* data = nullptr;
            EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&data), 64), hipSuccess);
            data[3] = 7;
        },
        testing::KilledBySignal(SIGSEGV),
        "host access to device memory at 0x.* \\(allocation hipMalloc of 64 bytes .*12 bytes in");
    EXPECT_EXIT(
        { *reinterpret_cast<volatile int*>(8) = 1; }, testing::KilledBySignal(SIGSEGV), "^$");
}

} // namespace
