// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The order of kernels that differ in one published lesson each. An order is robust when it holds
// at each end of the intervals.
#include "ladder.hpp"

#include <r9v_emulator/testing.hpp>

#include "attention_ladder.hpp"
#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace clock_ladder;
using r9v_emulator::modelled_launch;

#define R9V_OK(call) ASSERT_EQ(call, hipSuccess)

using gemm = void (*)(const _Float16*, const _Float16*, float*);

class Ladder : public ::testing::Test {
protected:
    void SetUp() override {
        r9v_emulator::set_clock(true);
        R9V_OK(hipMalloc(&operand_, sizeof(_Float16) * ladder_size * ladder_depth));
        R9V_OK(hipMalloc(&result_, sizeof(float) * ladder_size * ladder_size));
        R9V_OK(hipMemset(operand_, 0, sizeof(_Float16) * ladder_size * ladder_depth));
    }
    void TearDown() override {
        R9V_OK(hipFree(operand_));
        R9V_OK(hipFree(result_));
        r9v_emulator::set_clock(false);
    }
    modelled_launch time(gemm kernel, unsigned tiles) {
        const unsigned blocks = ladder_size / (32 * tiles);
        kernel<<<dim3(blocks, blocks), 128>>>(operand_, operand_, result_);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        return r9v_emulator::model_last_launch("9070xt", true);
    }

    _Float16* operand_ = nullptr;
    float* result_ = nullptr;
};

/// `robust`: at both ends as well; else the ends disagree, and the model says so.
void expect_faster(const modelled_launch& fast, const modelled_launch& slow, const char* what,
                   bool robust = true) {
    const auto &f = fast.microseconds, &s = slow.microseconds;
    std::printf("%s: %.1f (%.1f to %.1f) against %.1f (%.1f to %.1f) us\n", what, f.mid, f.low,
                f.high, s.mid, s.low, s.high);
    EXPECT_LT(f.mid, s.mid) << what;
    if (!robust) return;
    EXPECT_LT(f.low, s.low) << what;
    EXPECT_LT(f.high, s.high) << what;
}

TEST_F(Ladder, MoreTilesAWaveAreFaster) {
    const auto one = time(gemm_direct<1>, 1), two = time(gemm_direct<2>, 2);
    expect_faster(two, one, "2x2 tiles a wave, against one", false);
}

TEST_F(Ladder, SharingThroughLdsIsFaster) {
    const auto direct = time(gemm_direct<2>, 2), shared = time(gemm_shared<2, 8>, 2);
    expect_faster(shared, direct, "64x64 through LDS, against each wave by itself");
}

TEST_F(Ladder, PaddedRowsAreFaster) {
    const auto plain = time(gemm_shared<2, 0>, 2), padded = time(gemm_shared<2, 8>, 2);
    expect_faster(padded, plain, "LDS rows of 80 bytes, against 64");
}

class AttentionLadder : public Ladder {
protected:
    using kernel_type = void (*)(const _Float16*, const _Float16*, const _Float16*, float*);
    modelled_launch attend(kernel_type kernel) {
        constexpr unsigned blocks = ladder_size * ladder_depth / (64 * head_size);
        kernel<<<blocks, 128>>>(operand_, operand_, operand_, result_);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        return r9v_emulator::model_last_launch("9070xt", true);
    }
};

TEST_F(AttentionLadder, ProbabilitiesInRegistersAreFaster) {
    const auto registers = attend(attention<handover::registers>);
    const auto lds = attend(attention<handover::lds>);
    expect_faster(registers, lds, "P in registers, against through LDS");
}

TEST_F(AttentionLadder, SpillingIsSlow) {
    const auto whole = attend(attention<handover::registers>);
    const auto spilled = attend(attention_spilled);
    EXPECT_GT(r9v_emulator::last_counts().scratch_accesses, 0U);
    expect_faster(whole, spilled, "all in registers, against spilled");
}

} // namespace
