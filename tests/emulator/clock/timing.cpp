// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Modelled time as HIP programs see it: events, copies beside kernels, and samples of large grids.
#include <r9v_emulator/testing.hpp>

#include "kernels.hpp"
#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace clock_kernels;

#define R9V_OK(call) ASSERT_EQ(call, hipSuccess)

class Timing : public ::testing::Test {
protected:
    void SetUp() override {
        r9v_emulator::set_clock(true);
        R9V_OK(hipMalloc(&data_, bytes));
        R9V_OK(hipMemset(data_, 0, bytes));
        R9V_OK(hipEventCreate(&begin_));
        R9V_OK(hipEventCreate(&end_));
    }
    void TearDown() override {
        R9V_OK(hipFree(data_));
        R9V_OK(hipEventDestroy(begin_));
        R9V_OK(hipEventDestroy(end_));
        r9v_emulator::set_clock(false);
    }
    /// Milliseconds between events around `work`.
    template<class Work>
    float timed(hipStream_t s, Work work) {
        float milliseconds = -1;
        EXPECT_EQ(hipEventRecord(begin_, s), hipSuccess);
        work();
        EXPECT_EQ(hipEventRecord(end_, s), hipSuccess);
        EXPECT_EQ(hipEventSynchronize(end_), hipSuccess);
        EXPECT_EQ(hipEventElapsedTime(&milliseconds, begin_, end_), hipSuccess);
        return milliseconds;
    }
    void write(unsigned megabytes, hipStream_t s = nullptr) {
        write_all<<<megabytes * 256, 256, 0, s>>>(data_);
        EXPECT_EQ(hipGetLastError(), hipSuccess);
    }

    static constexpr std::size_t bytes = std::size_t{128} << 20;
    float4v* data_ = nullptr;
    hipEvent_t begin_ = nullptr, end_ = nullptr;
};

TEST_F(Timing, EventsAnswerTheModelledTimeOfAKernel) {
    const float first = timed(nullptr, [&] { write(16); });
    const auto modelled = r9v_emulator::model_last_launch();
    EXPECT_GT(modelled.microseconds.mid, 5);
    // The kernel, and the gap before it.
    EXPECT_NEAR(first, modelled.microseconds.mid / 1e3, 0.2 * first + 0.002);
    EXPECT_LE(modelled.microseconds.low, modelled.microseconds.mid);
    EXPECT_LE(modelled.microseconds.mid, modelled.microseconds.high);
}

TEST_F(Timing, IsTheSameEveryTime) {
    timed(nullptr, [&] { write(16); });
    const auto once = r9v_emulator::model_last_launch().microseconds;
    timed(nullptr, [&] { write(16); });
    const auto again = r9v_emulator::model_last_launch().microseconds;
    EXPECT_EQ(once.low, again.low);
    EXPECT_EQ(once.mid, again.mid);
    EXPECT_EQ(once.high, again.high);
}

TEST_F(Timing, ASampleOfAGridStandsForAllOfIt) {
    write(32);
    const auto part = r9v_emulator::model_last_launch();
    write(128);
    const auto all = r9v_emulator::model_last_launch();
    EXPECT_LT(all.sampled, 0.6);
    // Stores of 128 MiB go on to DRAM, those of 32 MiB stay in the Infinity Cache.
    EXPECT_GT(all.microseconds.mid, 3.5 * part.microseconds.mid);
    EXPECT_LT(all.sampling_error, 0.05);
    const double rate = static_cast<double>(bytes) / all.microseconds.mid / 1e3;
    EXPECT_NEAR(rate, 0.785 * 640, 0.05 * 640);
}

TEST_F(Timing, CopiesRunBesideKernels) {
    hipStream_t copies = nullptr, kernels = nullptr;
    R9V_OK(hipStreamCreateWithFlags(&copies, hipStreamNonBlocking));
    R9V_OK(hipStreamCreateWithFlags(&kernels, hipStreamNonBlocking));
    void *pinned = nullptr, *target = nullptr;
    constexpr std::size_t size = std::size_t{16} << 20;
    R9V_OK(hipHostMalloc(&pinned, size, 0));
    R9V_OK(hipMalloc(&target, size));
    const auto copy = [&](hipStream_t s) {
        EXPECT_EQ(hipMemcpyAsync(target, pinned, size, hipMemcpyHostToDevice, s), hipSuccess);
    };
    const float copy_alone = timed(copies, [&] { copy(copies); });
    const float kernel_alone = timed(kernels, [&] { write(128, kernels); });
    const float in_turn = timed(kernels, [&] {
        copy(kernels);
        write(128, kernels);
    });
    EXPECT_NEAR(in_turn, copy_alone + kernel_alone, 0.1f * in_turn);
    // Of both at the same time, the event after the longer one says how long both take.
    const float beside = timed(copies, [&] {
        write(128, kernels);
        copy(copies);
    });
    EXPECT_NEAR(beside, copy_alone, 0.1f * copy_alone);
    R9V_OK(hipStreamSynchronize(kernels));
    R9V_OK(hipFree(target));
    R9V_OK(hipHostFree(pinned));
    R9V_OK(hipStreamDestroy(copies));
    R9V_OK(hipStreamDestroy(kernels));
}

TEST_F(Timing, AnEventOfAnotherStreamHoldsWorkBack) {
    hipStream_t first = nullptr, second = nullptr;
    hipEvent_t done = nullptr;
    R9V_OK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    R9V_OK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    R9V_OK(hipEventCreate(&done));
    void *pinned = nullptr, *target = nullptr;
    constexpr std::size_t size = std::size_t{16} << 20;
    R9V_OK(hipHostMalloc(&pinned, size, 0));
    R9V_OK(hipMalloc(&target, size));
    const float kernel = timed(first, [&] { write(128, first); });
    const float both = timed(second, [&] {
        write(128, first);
        EXPECT_EQ(hipEventRecord(done, first), hipSuccess);
        EXPECT_EQ(hipStreamWaitEvent(second, done, 0), hipSuccess);
        EXPECT_EQ(hipMemcpyAsync(target, pinned, size, hipMemcpyHostToDevice, second), hipSuccess);
    });
    EXPECT_GT(both, 1.5f * kernel);
    R9V_OK(hipFree(target));
    R9V_OK(hipHostFree(pinned));
    R9V_OK(hipEventDestroy(done));
    R9V_OK(hipStreamDestroy(first));
    R9V_OK(hipStreamDestroy(second));
}

TEST(Clock, RecordsNothingWhileItIsOff) {
    r9v_emulator::set_clock(true);
    nothing<<<4, 32>>>();
    R9V_OK(hipDeviceSynchronize());
    EXPECT_EQ(r9v_emulator::model_last_launch().replayed_waves, 4U);
    r9v_emulator::set_clock(false);
    nothing<<<8, 32>>>();
    R9V_OK(hipDeviceSynchronize());
    EXPECT_EQ(r9v_emulator::model_last_launch().replayed_waves, 4U);
}

TEST(Clock, KnowsItsCards) {
    r9v_emulator::set_clock(true);
    nothing<<<4, 32>>>();
    R9V_OK(hipDeviceSynchronize());
    for (const char* card : {"9070xt", "9060xt", "r9700", "7900xtx"})
        EXPECT_GT(r9v_emulator::model_last_launch(card).microseconds.mid, 0) << card;
    EXPECT_EQ(r9v_emulator::model_last_launch("no such card").replayed_waves, 0U);
    r9v_emulator::set_clock(false);
}

} // namespace
