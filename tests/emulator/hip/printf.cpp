// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// printf of kernels.

#include <r9v_emulator/testing.hpp>

#include "support.hpp"
#include <algorithm>
#include <cstdio>

namespace {

__global__ void say(int number, double real, long wide, unsigned char letter) {
    if (threadIdx.x % 16 != 3) return;
    printf("[%u] %d|%5d|%-4d|%+.3f|%ld|%lx|%c|%s|%*d|%%\n", static_cast<unsigned>(threadIdx.x),
           number, number, number, real, wide, wide, letter, "a string of more than eight bytes", 6,
           number);
}

TEST(Printf, Formats) {
    testing::internal::CaptureStdout();
    say<<<1, 32>>>(-7, 2.5, -(1L << 40), 'q');
    const auto status = hipDeviceSynchronize();
    std::fflush(stdout);
    const auto text = testing::internal::GetCapturedStdout();
    R9V_HIP(status);
    char expected[512];
    std::string all;
    for (const unsigned lane : {3U, 19U}) {
        std::snprintf(expected, sizeof(expected), "[%u] %d|%5d|%-4d|%+.3f|%ld|%lx|%c|%s|%*d|%%\n",
                      lane, -7, -7, -7, 2.5, -(1L << 40), -(1L << 40), 'q',
                      "a string of more than eight bytes", 6, -7);
        all += expected;
    }
    EXPECT_EQ(text, all);
}

__global__ void count_up(int* total) {
    printf("%d\n", static_cast<int>(blockIdx.x));
    atomicAdd(total, 1);
}

TEST(Printf, FromManyWaves) {
    const device_array<int> total(std::vector<int>{0});
    testing::internal::CaptureStdout();
    count_up<<<50, 40>>>(total.data());
    const auto status = hipDeviceSynchronize();
    std::fflush(stdout);
    const auto text = testing::internal::GetCapturedStdout();
    R9V_HIP(status);
    EXPECT_EQ(total.host()[0], 2000);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2000);
}

} // namespace
