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
            static_cast<void>(r9v_emulator::take_faults());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "write_one");
}

TEST(FaultsDeathTest, AbortOnRequest) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("R9V_EMULATOR_ABORT", "1", 1);
            write_past_the_end();
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
