// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which tile a convolution gets, by shape, channels and strides, and what its rules say of numbers
// that no memory holds. Nothing is launched: the pointers are numbers.
#include <r9v/kernels/conv/family.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>

#include <gtest/gtest.h>
#include <string>

namespace {

using namespace r9v;

half* at(std::uint64_t address) {
    return reinterpret_cast<half*>(address);
}

constexpr int units = 64;
constexpr index_t far = index_t{1} << 40;

struct shape {
    index_t images;
    index_t side;
    index_t c;
    index_t k;
    index_t taps = 1;
    int stride = 1;
    int groups = 1;

    [[nodiscard]] convolution how() const {
        return {.stride = stride, .pad = static_cast<int>(taps / 2), .groups = groups};
    }
    [[nodiscard]] index_t out() const {
        return convolved_extent(side, taps, stride, 1, how().pad.top, how().pad.bottom);
    }
};

auto program_of(const shape& s) {
    const tensor<half, 4> x{at(0x1000'0000), {s.images, s.side, s.side, s.c}};
    const auto f = filter(at(far), {s.k, s.taps, s.taps, s.c / s.groups});
    return conv2d(x, f, s.how()) |
           store(tensor<half, 4>{at(2 * far), {s.images, s.out(), s.out(), s.k}});
}
using convolved = decltype(program_of({}));

enum class chosen { large, small, streamed, scattered };
template<class Program>
chosen tile_of(const Program& p, int compute_units = units) {
    const conv_choice choice = choose(p, default_tiles<Program>{}, compute_units);
    EXPECT_GE(choice.tile, 0);
    return static_cast<chosen>(choice.tile);
}
conv_geometry geometry_of(const shape& s) {
    return fit(program_of(s), detail::streamed_conv_tile, units).geometry;
}

TEST(conv_fit, shape_chooses_the_tile) {
    // ResNet50 at batch 8, 56 x 56: enough blocks for large tiles.
    EXPECT_EQ(tile_of(program_of({8, 56, 64, 256})), chosen::large);
    EXPECT_EQ(tile_of(program_of({8, 56, 256, 128})), chosen::large);
    EXPECT_EQ(tile_of(program_of({8, 28, 256, 512, 3})), chosen::large);
    // One image: few pixels from the second stage on.
    EXPECT_EQ(tile_of(program_of({1, 28, 128, 128, 3})), chosen::streamed);
    EXPECT_EQ(tile_of(program_of({1, 14, 256, 256, 3})), chosen::streamed);
    EXPECT_EQ(tile_of(program_of({1, 14, 1024, 256})), chosen::streamed);
    EXPECT_EQ(tile_of(program_of({1, 7, 512, 512, 3})), chosen::streamed);
    EXPECT_EQ(tile_of(program_of({1, 7, 512, 2048})), chosen::streamed);
    EXPECT_EQ(tile_of(program_of({1, 20, 512, 512})), chosen::streamed);
    // 64 output channels over many pixels leave half of a large tile empty.
    EXPECT_EQ(tile_of(program_of({1, 320, 32, 64, 3, 2})), chosen::small);
    EXPECT_EQ(tile_of(program_of({8, 56, 64, 64, 3})), chosen::small);
}

TEST(conv_fit, few_channels_in_a_group_stream) {
    EXPECT_EQ(tile_of(program_of({1, 28, 256, 256, 3, 1, 32})), chosen::streamed);
    EXPECT_EQ(tile_of(program_of({8, 14, 512, 512, 3, 1, 32})), chosen::streamed);
    EXPECT_EQ(tile_of(program_of({8, 7, 1024, 1024, 3, 1, 32})), chosen::streamed);
}

TEST(conv_fit, waves_go_where_the_shape_has_most) {
    const wave_split deep{0, 0, 3};
    EXPECT_EQ(geometry_of({1, 7, 512, 512, 3}).split, deep);
    const conv_geometry wide = geometry_of({8, 56, 64, 64, 3});
    EXPECT_EQ(wide.split.k, 1); // a wave for each column of fragments
    EXPECT_EQ(wide.split.m + wide.split.n + wide.split.k, 3);
}

TEST(conv_fit, all_compute_units_are_busy_where_k_is_split) {
    for (const shape& s : {shape{1, 14, 256, 256, 3}, shape{1, 14, 1024, 256},
                           shape{1, 7, 512, 2048}, shape{1, 14, 256, 1024}}) {
        const conv_choice choice = fit(program_of(s), detail::streamed_conv_tile, units);
        EXPECT_GE(choice.blocks, 56);
    }
    // 49 pixels of 512 channels: half of the units, each with eight waves.
    EXPECT_EQ(fit(program_of({1, 7, 512, 512, 3}), detail::streamed_conv_tile, units).blocks, 32);
}

TEST(conv_fit, channels_decide_how_the_map_is_loaded) {
    EXPECT_EQ(tile_of(program_of({8, 56, 68, 256})), chosen::scattered);
    EXPECT_EQ(tile_of(program_of({8, 56, 4, 256, 3})), chosen::scattered);
    const auto p = program_of({8, 56, 68, 256});
    for (const conv_tile& t :
         {detail::large_conv_tile, detail::small_conv_tile, detail::streamed_conv_tile})
        EXPECT_EQ(fit(p, t, units).misfit, conv_misfit::channels);
    EXPECT_EQ(choose(p, tile_list<detail::small_conv_tile>{}, units).tile, -1);
}

auto strided(index_t image, index_t row, index_t pixel) {
    const tensor<half, 4> x{at(far), {2, 16, 16, 64}, {image, row, pixel, 1}};
    return conv2d(x, filter(at(far / 2), {64, 3, 3, 64}), {.pad = 1}) |
           store(tensor<half, 4>{at(2 * far), {2, 16, 16, 64}});
}

TEST(conv_fit, maps_beyond_the_reach_of_a_load_are_scattered) {
    EXPECT_NE(tile_of(strided(16 * 16 * 64, 16 * 64, 64)), chosen::scattered);
    EXPECT_EQ(tile_of(strided(index_t{1} << 31, 16 * 64, 64)), chosen::scattered);
    EXPECT_EQ(tile_of(strided(index_t{1} << 34, index_t{1} << 28, 64)), chosen::scattered);
}

TEST(conv_fit, maps_that_run_backwards_are_scattered) {
    EXPECT_EQ(tile_of(strided(16 * 16 * 64, -16 * 64, 64)), chosen::scattered);
    EXPECT_EQ(tile_of(strided(16 * 16 * 64, 16 * 64, -64)), chosen::scattered);
    EXPECT_EQ(tile_of(strided(-16 * 16 * 64, 16 * 64, 64)), chosen::scattered);
}

TEST(conv_fit, long_filters_are_scattered) {
    EXPECT_EQ(tile_of(program_of({1, 33, 64, 64, 17})), chosen::scattered);
    EXPECT_NE(tile_of(program_of({1, 33, 64, 64, 15})), chosen::scattered);
}

TEST(conv_fit, pixels_are_counted_through_where_every_operand_allows_it) {
    const auto with = [](const auto& added) {
        const tensor<half, 4> x{at(0x1000'0000), {2, 8, 8, 64}};
        return fit(conv2d(x, filter(at(far), {64, 1, 1, 64})) | add(added) |
                       store(tensor<half, 4>{at(2 * far), {2, 8, 8, 64}}),
                   detail::small_conv_tile, units)
            .geometry.flattened;
    };
    half* const data = at(3 * far);
    EXPECT_TRUE(with(tensor<half, 4>{data, {2, 8, 8, 64}}));
    EXPECT_TRUE(with(tensor<half, 4>{data, {2, 8, 8, 64}, {8 * 8 * 96, 8 * 96, 96, 1}}));
    EXPECT_FALSE(with(tensor<half, 4>{data, {2, 8, 8, 64}, {9 * 8 * 64, 8 * 64, 64, 1}}));
    EXPECT_FALSE(with(tensor<half, 4>{data, {2, 8, 8, 64}, {8 * 9 * 64, 9 * 64, 64, 1}}));
    EXPECT_FALSE(with(tensor<half, 3>{data, {2, 8, 64}})) << "the same for all rows";
    EXPECT_FALSE(with(tensor<half, 2>{data, {8, 64}})) << "the same for all images and rows";
}

TEST(conv_fit, nothing_to_compute_has_no_blocks) {
    EXPECT_EQ(choose(program_of({0, 8, 64, 64}), default_tiles<convolved>{}, units).blocks, 0);
    EXPECT_EQ(choose(program_of({1, 8, 64, 0}), default_tiles<convolved>{}, units).blocks, 0);
    EXPECT_GT(choose(program_of({1, 8, 0, 64}), default_tiles<convolved>{}, units).blocks, 0);
}

TEST(conv_fit, more_pixels_than_a_launch_has_are_refused) {
    const conv_choice choice =
        choose(program_of({index_t{1} << 31, 8, 64, 64}), default_tiles<convolved>{}, units);
    EXPECT_EQ(choice.tile, -1);
    EXPECT_EQ(choice.misfit, conv_misfit::grid);
}

TEST(conv_fit, default_tiles_are_valid) {
    for (const conv_tile& t :
         {detail::large_conv_tile, detail::small_conv_tile, detail::streamed_conv_tile}) {
        EXPECT_TRUE(detail::is_valid_conv_tile(t, layout::row_major));
        EXPECT_FALSE(detail::is_valid_conv_tile(t, layout::strided));
    }
    EXPECT_TRUE(detail::is_valid_conv_tile(detail::scattered_conv_tile, layout::strided));
    conv_tile t = detail::streamed_conv_tile;
    t.waves_k = 3;
    EXPECT_FALSE(detail::is_valid_conv_tile(t, layout::row_major)) << "parts are powers of two";
    t = detail::streamed_conv_tile;
    t.waves_k = 1;
    EXPECT_FALSE(detail::is_valid_conv_tile(t, layout::row_major)) << "two columns need two waves";
    t = detail::small_conv_tile;
    t.waves_k = 2;
    EXPECT_FALSE(detail::is_valid_conv_tile(t, layout::row_major));
}

TEST(conv_rules, groups_and_channels) {
    const auto answer = [](const shape& s, index_t filter_channels) {
        auto p = program_of(s);
        p.head.f.extents.c = filter_channels;
        return std::string{check(p).what()};
    };
    EXPECT_EQ(answer({1, 8, 64, 64, 3, 1, 4}, 16), "");
    EXPECT_NE(answer({1, 8, 64, 64, 3, 1, 4}, 17).find("the filter takes 17"), std::string::npos);
    EXPECT_NE(answer({1, 8, 64, 66, 3, 1, 4}, 16).find("4 groups do not divide"),
              std::string::npos);
}

/// Runs of 8 channels are counted anew in every group.
TEST(conv_fit, runs_of_channels_keep_to_the_groups_of_scales) {
    const auto is_wide = [](index_t k) {
        const shape s{.images = 1, .side = 8, .c = 16, .k = k, .groups = 2};
        const tensor<float, 4> steps{reinterpret_cast<float*>(3 * far),
                                     {index_t{1}, s.out(), s.out(), ceil_div(k, index_t{8})}};
        const tensor<half, 4> x{at(0x1000'0000), {s.images, s.side, s.side, s.c}};
        const auto p = conv2d(x, filter(at(far), {k, 1, 1, 8}), s.how()) |
                       scale(per_group(steps, 8)) |
                       store(tensor<half, 4>{at(2 * far), {s.images, s.out(), s.out(), k}});
        return fit(p, detail::streamed_conv_tile, units).geometry.wide_chain != 0;
    };
    EXPECT_TRUE(is_wide(32));
    EXPECT_FALSE(is_wide(40));
    EXPECT_TRUE(geometry_of({.images = 1, .side = 8, .c = 16, .k = 40, .groups = 2}).wide_chain);
}

} // namespace
