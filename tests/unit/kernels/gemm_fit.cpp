// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tile a GEMM gets, by shape, alignment and strides. Nothing is launched: the pointers are
// numbers.
#include <r9v/kernels/gemm/family.hpp>
#include <r9v/ops.hpp>

#include <gtest/gtest.h>

namespace {

using namespace r9v;

half* at(std::uint64_t address) {
    return reinterpret_cast<half*>(address);
}

constexpr int units = 64;

struct shape {
    index_t m;
    index_t n;
    index_t k;
};

auto by_rows(const shape& s, std::uint64_t w = 0x2000'0000) {
    return gemm(tensor{at(0x1000'0000), {s.m, s.k}}, tensor{at(w), {s.n, s.k}}) |
           store(tensor{at(0x4000'0000), {s.m, s.n}});
}
auto by_columns(const shape& s, std::uint64_t w = 0x2000'0000) {
    return gemm(tensor{at(0x1000'0000), {s.m, s.k}}, transposed(tensor{at(w), {s.k, s.n}})) |
           store(tensor{at(0x4000'0000), {s.m, s.n}});
}

template<class Program>
gemm_regime regime_of(const Program& p) {
    const gemm_choice choice = choose(p, default_tiles<Program>{}, units);
    EXPECT_GE(choice.tile, 0);
    constexpr gemm_regime order[] = {gemm_regime::large, gemm_regime::medium, gemm_regime::skinny};
    return order[choice.tile];
}

TEST(gemm_fit, shape_chooses_the_regime) {
    EXPECT_EQ(regime_of(by_rows({4096, 4096, 4096})), gemm_regime::large);
    EXPECT_EQ(regime_of(by_rows({1024, 1024, 1024})), gemm_regime::large);
    EXPECT_EQ(regime_of(by_rows({64, 4096, 4096})), gemm_regime::medium);
    EXPECT_EQ(regime_of(by_rows({100, 100, 100})), gemm_regime::medium);
    EXPECT_EQ(regime_of(by_rows({17, 4096, 4096})), gemm_regime::medium);
    EXPECT_EQ(regime_of(by_rows({16, 4096, 4096})), gemm_regime::skinny);
    EXPECT_EQ(regime_of(by_rows({1, 11008, 4096})), gemm_regime::skinny);
    EXPECT_EQ(regime_of(by_columns({1, 4096, 4096})), gemm_regime::skinny);
}

TEST(gemm_fit, rows_may_have_any_alignment) {
    EXPECT_EQ(regime_of(by_rows({4096, 4095, 4093}, 0x2000'0002)), gemm_regime::large);
}

TEST(gemm_fit, unaligned_columns_need_the_medium_tile) {
    EXPECT_EQ(regime_of(by_columns({4096, 4096, 4096})), gemm_regime::large);
    EXPECT_EQ(regime_of(by_columns({4096, 4096, 4093})), gemm_regime::large);
    EXPECT_EQ(regime_of(by_columns({4096, 4095, 4096})), gemm_regime::medium);
    EXPECT_EQ(regime_of(by_columns({4096, 4096, 4096}, 0x2000'0008)), gemm_regime::medium);
    EXPECT_EQ(regime_of(by_columns({1, 4095, 4096})), gemm_regime::medium);
}

TEST(gemm_fit, a_pinned_tile_says_why_it_cannot) {
    const auto p = by_columns({4096, 4095, 4096});
    using program = decltype(p);
    constexpr auto traits = detail::traits_of<std::remove_cvref_t<program>>;
    EXPECT_EQ(fit(p, detail::large_tile(traits)).misfit, gemm_misfit::alignment);
    const auto rows = by_rows({17, 64, 64});
    EXPECT_EQ(fit(rows, detail::skinny_tile(traits)).misfit, gemm_misfit::rows);
    EXPECT_EQ(choose(rows, tile_list<detail::skinny_tile(traits)>{}, units).tile, -1);
}

TEST(gemm_fit, huge_strides_shrink_what_a_block_computes) {
    const index_t stride = index_t{1} << 30; // 2 GiB from row to row: a lane reaches two rows
    const tensor<half, 2> x{at(0x1000'0000), {64, 64}, {stride, 1}};
    const auto p =
        gemm(x, tensor{at(0x2000'0000), {64, 64}}) | store(tensor{at(0x4000'0000), {64, 64}});
    const auto traits = detail::traits_of<std::remove_cvref_t<decltype(p)>>;
    EXPECT_EQ(fit(p, detail::large_tile(traits)).misfit, gemm_misfit::reach);
    const gemm_choice choice = fit(p, detail::medium_tile(traits));
    EXPECT_EQ(choice.misfit, gemm_misfit::none);
    EXPECT_EQ(choice.geometry.step_m, 2);
    EXPECT_EQ(choice.blocks, 32);
    EXPECT_LT((choice.geometry.step_m - 1) * stride * 2, index_t{1} << 32);
}

TEST(gemm_fit, operands_out_of_reach_run_the_guarded_epilogue) {
    const index_t stride = index_t{1} << 28;
    const tensor<half, 2> x{at(0x1000'0000), {64, 64}};
    const tensor<half, 2> w{at(0x2000'0000), {64, 64}};
    const auto near = gemm(x, w) | store(tensor{at(0x4000'0000), {64, 64}});
    const auto far = gemm(x, w) | store(tensor<half, 2>{at(0x4000'0000), {64, 64}, {stride, 1}});
    const auto back = gemm(x, w) | store(tensor<half, 2>{at(0x4000'0000), {64, 64}, {-64, 1}});
    const auto traits = detail::traits_of<std::remove_cvref_t<decltype(near)>>;
    EXPECT_TRUE(fit(near, detail::medium_tile(traits)).geometry.wide_chain);
    EXPECT_FALSE(fit(far, detail::medium_tile(traits)).geometry.wide_chain);
    EXPECT_FALSE(fit(back, detail::medium_tile(traits)).geometry.wide_chain);
}

TEST(gemm_fit, more_blocks_than_a_launch_has_are_refused) {
    const index_t huge = index_t{1} << 33;
    EXPECT_EQ(
        choose(by_rows({huge, 8192, 8}), default_tiles<decltype(by_rows({}))>{}, units).misfit,
        gemm_misfit::grid);
}

TEST(gemm_fit, default_tiles_are_valid_for_every_program) {
    for (const layout x : {layout::row_major, layout::column_major})
        for (const layout w : {layout::row_major, layout::column_major})
            for (const int results : {1, 2})
                for (const bool prologue : {false, true}) {
                    const detail::gemm_traits t{x, w, results, prologue};
                    EXPECT_TRUE(is_valid_tile(detail::large_tile(t), t));
                    EXPECT_TRUE(is_valid_tile(detail::medium_tile(t), t));
                    EXPECT_EQ(is_valid_tile(detail::skinny_tile(t), t), x == layout::row_major);
                }
    const detail::gemm_traits plain{layout::row_major, layout::row_major, 1, false};
    EXPECT_TRUE(is_valid_tile({.m = 256, .n = 128, .waves_m = 4, .waves_n = 2}, plain));
    EXPECT_FALSE(is_valid_tile({.m = 256, .n = 128}, plain)) << "more accumulators than registers";
    EXPECT_FALSE(is_valid_tile({.m = 100, .n = 128}, plain));
    EXPECT_FALSE(is_valid_tile({.m = 128, .n = 128, .waves_m = 0}, plain));
}

} // namespace
