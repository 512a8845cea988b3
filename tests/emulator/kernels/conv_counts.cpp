// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the kernels of dense convolutions move and execute, as counted by the emulator, against what
// their tiling implies and against the GEMM of the same size.

#include "conv_problem.hpp"
#include <array>
#include <cstdio>

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested
using r9v_emulator::launch_counts;

constexpr conv_tile large = detail::large_conv_tile;
constexpr conv_tile small = detail::small_conv_tile;
constexpr conv_tile streamed = detail::streamed_conv_tile;
constexpr gemm_tile medium{.m = 64, .n = 64, .regime = gemm_regime::medium};

/// Bytes that blocks of m x n load to multiply all of it, if nothing is padding.
double implied_bytes(const conv_size& of, double m, double n) {
    const auto pixels = static_cast<double>(of.pixels());
    const auto depth = static_cast<double>(of.r * of.s * of.c);
    return 2 * depth * (std::ceil(pixels / m) * m) *
           (std::ceil(static_cast<double>(of.k) / n) * n) * (1 / m + 1 / n);
}

/// Share of vector cycles that multiply in the main loop: what three more rows of taps add.
template<conv_tile Tile>
double share_of_loop(const conv_size& size) {
    conv_size more = size;
    more.r += 3;
    more.how.pad.bottom += 3;
    const conv_problem a{size};
    const conv_problem b{more};
    const launch_counts few = a.count<Tile>(a.plain());
    const launch_counts many = b.count<Tile>(b.plain());
    return static_cast<double>(many.wmma_cycles - few.wmma_cycles) /
           (vector_cycles(many) - vector_cycles(few));
}

TEST(convolution, moves_what_the_tiling_implies) {
    const conv_size size;
    const conv_problem p{size};
    const launch_counts l = p.count<large>(p.plain());
    const launch_counts s = p.count<small>(p.plain());
    EXPECT_LE(static_cast<double>(l.global_bytes_loaded), 1.002 * implied_bytes(size, 128, 128));
    EXPECT_LE(static_cast<double>(s.global_bytes_loaded), 1.002 * implied_bytes(size, 64, 64));
    const auto products =
        static_cast<std::uint64_t>(size.pixels() * size.k / 256 * 9 * size.c / 16);
    for (const launch_counts& c : {l, s}) {
        EXPECT_EQ(c.global_bytes_stored, static_cast<std::uint64_t>(2 * size.pixels() * size.k));
        EXPECT_EQ(c.wmma, products);
        EXPECT_EQ(c.scratch_accesses, 0u);
        EXPECT_EQ(c.lds_load_passes, c.lds_load_passes_ideal);
        EXPECT_EQ(c.lds_store_passes, c.lds_store_passes_ideal);
    }
}

TEST(convolution, main_loop_of_3x3_multiplies) {
    const double of_large = share_of_loop<large>({});
    const double of_small = share_of_loop<small>({});
    const double of_streamed = share_of_loop<streamed>({});
    std::printf(
        "3x3, C = 128, share of the main loop: large %.1f %%, small %.1f %%, streamed %.1f %%\n",
        100 * of_large, 100 * of_small, 100 * of_streamed);
    EXPECT_GE(of_large, 0.985);
    EXPECT_GE(of_small, 0.975);
    EXPECT_GE(of_streamed, 0.95);
}

TEST(convolution, one_tap_runs_at_the_rate_of_the_gemm) {
    for (const index_t channels : {128, 256, 512}) {
        const conv_problem p{{.c = channels, .k = 256, .r = 1, .s = 1, .how = {}}};
        const double of_large = vector_cycles(p.count<large>(p.plain())) /
                                vector_cycles(p.count<large_tile>(p.plain_gemm()));
        const double of_small = vector_cycles(p.count<small>(p.plain())) /
                                vector_cycles(p.count<medium>(p.plain_gemm()));
        std::printf("1x1, C = %d: vector cycles beside the GEMM, large %.3f, small %.3f\n",
                    static_cast<int>(channels), of_large, of_small);
        EXPECT_LE(of_large, 1.03);
        EXPECT_LE(of_small, 1.03);
    }
}

TEST(convolution, fusion_moves_only_the_operands) {
    const conv_size size{.c = 64};
    const conv_problem p{size};
    const auto added = [&]<conv_tile Tile>(std::integral_constant<conv_tile, Tile>) {
        const launch_counts plain = p.count<Tile>(p.plain());
        const launch_counts fused = p.count<Tile>(p.fused());
        EXPECT_EQ(fused.global_bytes_stored, plain.global_bytes_stored);
        EXPECT_EQ(fused.lds_loads, plain.lds_loads);
        EXPECT_EQ(fused.lds_stores, plain.lds_stores);
        return fused.global_bytes_loaded - plain.global_bytes_loaded;
    };
    // The residual once; a wave reads the scale and shift of its columns, 16 lanes the same.
    const auto limit = [&](index_t m, index_t n) {
        const index_t vectors = size.pixels() / m * size.k / n * n * 2 * 4 * 16;
        return static_cast<std::uint64_t>(size.pixels() * size.k * 2 + vectors);
    };
    EXPECT_LE(added(std::integral_constant<conv_tile, large>{}), limit(64, 32));
    EXPECT_LE(added(std::integral_constant<conv_tile, small>{}), limit(32, 32));
    EXPECT_LE(added(std::integral_constant<conv_tile, streamed>{}), limit(16, 16));
}

TEST(convolution, an_epilogue_costs_what_it_costs_behind_a_gemm) {
    const conv_problem p{{.c = 128, .k = 128, .r = 1, .s = 1, .how = {}}};
    const auto costs = [&](const launch_counts& fused, const launch_counts& plain) {
        return vector_cycles(fused) - vector_cycles(plain);
    };
    const double gemm_large =
        costs(p.count<large_tile>(p.fused_gemm()), p.count<large_tile>(p.plain_gemm()));
    const double gemm_medium =
        costs(p.count<medium>(p.fused_gemm()), p.count<medium>(p.plain_gemm()));
    const double of_large = costs(p.count<large>(p.fused()), p.count<large>(p.plain()));
    const double of_small = costs(p.count<small>(p.fused()), p.count<small>(p.plain()));
    const double of_streamed = costs(p.count<streamed>(p.fused()), p.count<streamed>(p.plain()));
    std::printf("scale_shift | silu | residual beside the GEMM's: large %.3f, small %.3f, "
                "streamed %.3f\n",
                of_large / gemm_large, of_small / gemm_medium, of_streamed / gemm_medium);
    EXPECT_LE(of_large, 1.15 * gemm_large);
    EXPECT_LE(of_small, 1.15 * gemm_medium);
    EXPECT_LE(of_streamed, 1.15 * gemm_medium);
}

/// Cycles of 64 compute units at 2.97 GHz and 640 GB/s that a convolution cannot go below: its
/// bytes, each once, and its matrix instructions.
struct floor_cycles {
    double bytes;
    double products;

    explicit floor_cycles(const conv_size& of)
        : bytes{static_cast<double>(of.bytes()) * 2.97 / 640},
          products{static_cast<double>(ceil_div<index_t>(of.pixels(), 16) *
                                       ceil_div<index_t>(of.k, 16) * of.r * of.s * of.c) /
                   128} {}
};

/// The layers of ResNet50 and YOLOv8s with few pixels, at batch 1.
TEST(convolution, few_pixels_ask_for_what_their_tiles_imply) {
    for (const auto& [side, c, k, taps] : {std::array<index_t, 4>{7, 512, 512, 3},
                                           {7, 512, 2048, 1},
                                           {7, 2048, 512, 1},
                                           {14, 256, 256, 3},
                                           {14, 256, 1024, 1},
                                           {14, 1024, 256, 1},
                                           {20, 256, 256, 3},
                                           {20, 512, 512, 1},
                                           {20, 512, 64, 3}}) {
        const conv_size size{.height = side,
                             .width = side,
                             .c = c,
                             .k = k,
                             .r = taps,
                             .s = taps,
                             .how = {.pad = static_cast<int>(taps / 2)}};
        const conv_problem p{size};
        const conv_choice choice = fit(p.plain(), streamed, 64);
        const launch_counts counts = p.count<streamed>(p.plain());
        const floor_cycles floor{size};
        const auto asked = static_cast<double>(counts.global_bytes_loaded);
        std::printf(
            "%2d^2 x %4d -> %4d, %dx%d: %3d blocks of %d parts, %5.2f MB of operands, %5.1f "
            "MB asked for, "
            "floor %6.0f cycles of memory, %5.0f of products, estimated %6.0f\n",
            static_cast<int>(side), static_cast<int>(c), static_cast<int>(k),
            static_cast<int>(taps), static_cast<int>(taps), static_cast<int>(choice.blocks),
            1 << choice.geometry.split.k, static_cast<double>(size.bytes()) / 1e6, asked / 1e6,
            floor.bytes, floor.products,
            detail::conv_estimate{}.cycles(streamed, choice.geometry, choice.blocks, 64));
        EXPECT_LE(asked, 1.01 * implied_bytes(size, 32, 32));
        EXPECT_EQ(counts.waves, static_cast<std::uint64_t>(choice.blocks * 8));
        EXPECT_EQ(counts.scratch_accesses, 0u);
        EXPECT_EQ(counts.lds_load_passes, counts.lds_load_passes_ideal);
        EXPECT_EQ(counts.lds_store_passes, counts.lds_store_passes_ideal);
    }
}

} // namespace

} // namespace r9v_test
