// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Compiled for another card than the one that is there.

#include "support.hpp"

namespace {

__global__ void nothing() {}

TEST(WrongTarget, IsRefusedWithTheTargetsThatAreThere) {
    testing::internal::CaptureStderr();
    nothing<<<1, 1>>>();
    const auto text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(hipGetLastError(), hipErrorNoBinaryForGpu);
    EXPECT_EQ(text, "r9v-emulator: the program has no code for gfx1201, only for gfx1200. Compile "
                    "it with --offload-arch=gfx1201.\n");
}

} // namespace
