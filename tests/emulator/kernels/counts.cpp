// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the large GEMM kernels move and execute, as counted by the emulator, against what their
// tiling implies.

#include "problem.hpp"
#include <chrono>
#include <cstdio>

namespace r9v_test {

namespace {

using r9v_emulator::launch_counts;

/// Cycles of the vector unit: WMMA and other VALU by their occupancy, 4 for a transcendental beside
/// WMMA (measured on RDNA4).
double vector_cycles(const launch_counts& c) {
    return static_cast<double>(c.wmma_cycles + c.valu_cycles + 4 * c.transcendental);
}

template<class T>
class large_gemm : public ::testing::Test {};

template<class Element, layout W>
struct kind {
    using element = Element;
    static constexpr layout weights = W;
};
using kinds = ::testing::Types<kind<half, layout::row_major>, kind<half, layout::column_major>,
                               kind<bf16, layout::row_major>, kind<bf16, layout::column_major>>;
TYPED_TEST_SUITE(large_gemm, kinds);

TYPED_TEST(large_gemm, moves_what_the_tiling_implies) {
    constexpr index_t size = 512;
    const problem<typename TypeParam::element, TypeParam::weights> p{size, size, size};
    const launch_counts c = p.count(p.plain());
    constexpr index_t blocks = (size / 128) * (size / 128);
    EXPECT_LE(static_cast<double>(c.global_bytes_loaded), 1.02 * blocks * (128 + 128) * size * 2);
    EXPECT_EQ(c.global_bytes_stored, static_cast<std::uint64_t>(size * size * 2));
    EXPECT_EQ(c.wmma, static_cast<std::uint64_t>(size / 16 * (size / 16) * (size / 16)));
    EXPECT_EQ(c.scratch_accesses, 0u);
}

TYPED_TEST(large_gemm, has_no_lds_bank_conflicts) {
    const problem<typename TypeParam::element, TypeParam::weights> p{256, 256, 256};
    const launch_counts c = p.count(p.fused());
    EXPECT_GT(c.lds_loads, 0u);
    EXPECT_EQ(c.lds_load_passes, c.lds_load_passes_ideal);
    EXPECT_EQ(c.lds_store_passes, c.lds_store_passes_ideal);
}

TYPED_TEST(large_gemm, fusion_moves_only_the_operands) {
    constexpr index_t size = 512;
    const problem<typename TypeParam::element, TypeParam::weights> p{size, size, 128};
    const launch_counts plain = p.count(p.plain());
    const launch_counts fused = p.count(p.fused());
    EXPECT_EQ(fused.global_bytes_stored, plain.global_bytes_stored);
    EXPECT_EQ(fused.lds_loads, plain.lds_loads);
    EXPECT_EQ(fused.lds_stores, plain.lds_stores);
    // The residual once; each wave reads its 64 values of the bias, which 16 lanes share a load of.
    const std::uint64_t residual = size * size * 2;
    const std::uint64_t waves = (size / 64) * (size / 64);
    const std::uint64_t bias = waves * 64 * 2 * 16;
    EXPECT_LE(fused.global_bytes_loaded - plain.global_bytes_loaded, residual + bias);
}

TYPED_TEST(large_gemm, fusion_costs_few_vector_cycles) {
    const problem<typename TypeParam::element, TypeParam::weights> square{1024, 1024, 1024};
    const double added =
        vector_cycles(square.count(square.fused())) / vector_cycles(square.count(square.plain())) -
        1;
    std::printf("bias, residual, silu add %.1f %% vector cycles at 1024^3", 100 * added);
    EXPECT_LE(added, 0.10);
    const problem<typename TypeParam::element, TypeParam::weights> deep{256, 256, 4096};
    const double deep_added =
        vector_cycles(deep.count(deep.fused())) / vector_cycles(deep.count(deep.plain())) - 1;
    std::printf(", %.1f %% at k = 4096\n", 100 * deep_added);
    EXPECT_LE(deep_added, 0.03);
}

TEST(large_gemm_time, strict_execution_of_1024_cubed_takes_a_second_at_most) {
    const problem<half> p{1024, 1024, 1024};
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        r9v::launch<large_tile>(p.s, p.fused());
        p.s.synchronize();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        best = std::min(best, taken.count());
    }
    std::printf("1024^3 fused, strict: %.2f s\n", best);
    EXPECT_TRUE(r9v_emulator::options().strict);
    EXPECT_LE(best, 1.0);
}

} // namespace

} // namespace r9v_test
