// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Transposed convolutions and those over volumes: phases against a count of taps, tiles by shape,
// and what the rules say. Nothing is launched: the pointers are numbers.
#include <r9v/kernels/conv/transposed/family.hpp>
#include <r9v/kernels/conv/volume/family.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>

#include <gtest/gtest.h>
#include <string>

namespace {

using namespace r9v;

half* at(std::uint64_t address) {
    return reinterpret_cast<half*>(address);
}
constexpr index_t far = index_t{1} << 40;

/// The taps of every position of a phase, one by one.
void expect_phase(const phase_axis& axis, int stride, int dilation, int pad, int filter,
                  std::int32_t number) {
    const axis_phase phase = axis.at(number);
    std::int32_t position = 0;
    for (index_t p = number; p < axis.size; p += stride, ++position) {
        std::int32_t found = 0;
        for (int tap = 0; tap < filter; ++tap) {
            const index_t away = p + pad - tap * dilation;
            if (away % stride != 0) continue;
            ASSERT_EQ(tap, phase.tap + found * static_cast<std::int32_t>(axis.step.value));
            ASSERT_EQ(away / stride, phase.first + position - found * axis.distance());
            ++found;
        }
        ASSERT_EQ(found, phase.taps);
    }
    ASSERT_EQ(position, phase.size);
    const index_t all = axis.size;
    ASSERT_EQ(phase.size, number < axis.first_short() ? all / stride + 1 : all / stride);
}

TEST(conv_transposed_phases, see_all_of_their_taps_and_no_others) {
    for (int stride = 1; stride <= 6; ++stride)
        for (int dilation = 1; dilation <= 6; ++dilation)
            for (int pad = 0; pad < 5; ++pad)
                for (int filter = 1; filter <= 9; ++filter)
                    for (index_t size = 1; size < 6; ++size) {
                        const index_t out =
                            transposed_extent(size, filter, stride, dilation, pad, 0);
                        const phase_axis axis{stride, dilation, pad, filter, out};
                        for (int number = 0; number < stride; ++number)
                            expect_phase(axis, stride, dilation, pad, filter, number);
                        if (HasFatalFailure()) FAIL() << stride << dilation << pad << filter;
                    }
}

auto spread(index_t side, index_t c, const transposed_convolution& how, index_t of_filter) {
    const index_t p = transposed_extent(side, 2, how.stride.height, how.dilation.height,
                                        how.pad.top, how.pad.bottom, how.output_pad.height);
    const index_t q = transposed_extent(side, 2, how.stride.width, how.dilation.width, how.pad.left,
                                        how.pad.right, how.output_pad.width);
    const tensor<half, 4> x{at(0x1000'0000), {1, side, side, c}};
    return conv_transpose2d(x, transposed_filter(at(far), {32, 2, 2, of_filter}), how) |
           store(tensor<half, 4>{at(2 * far), {1, p, q, 32}});
}
template<class Program>
void expect_refusal(const Program& p, const char* text) {
    const status outcome = check(p);
    EXPECT_FALSE(outcome);
    EXPECT_NE(std::string{outcome.what()}.find(text), std::string::npos) << outcome.what();
}

TEST(conv_transposed_rules, name_what_is_wrong) {
    EXPECT_TRUE(check(spread(8, 16, {.stride = 2}, 16)));
    expect_refusal(spread(8, 16, {.stride = 2}, 8), "the map has 16 channels");
    expect_refusal(spread(8, 16, {.stride = 0}, 16), "the stride of a transposed convolution is 0");
    expect_refusal(spread(8, 16, {.dilation = 0}, 16), "dilations count from 1");
    expect_refusal(spread(8, 16, {.pad = -1}, 16), "padding cannot be negative");
    expect_refusal(spread(8, 16, {.stride = 2, .output_pad = 2}, 16), "output_pad (2, 2)");
    expect_refusal(spread(8, 16, {.groups = 5}, 16), "5 groups do not divide");
    expect_refusal(spread(8, 16, {.groups = 0}, 16), "there are 0 groups");
    expect_refusal(spread(2, 16, {.pad = 2}, 16), "takes away all of the result");
}

TEST(conv_transposed_fit, shape_chooses_the_tile) {
    const auto tile_of = [](index_t side, index_t c) {
        const auto p = spread(side, c, {.stride = 2}, c);
        return choose_transposed(p, default_tiles<std::remove_const_t<decltype(p)>>{}, 64).tile;
    };
    EXPECT_EQ(tile_of(256, 64), 0);
    EXPECT_EQ(tile_of(8, 64), 1);
    EXPECT_EQ(tile_of(8, 20), 2); // channels that are no multiple of 8
}

auto slide(index_t batch, index_t side, const volume_convolution& how, index_t of_filter) {
    const index_t d =
        convolved_extent(4, 3, how.stride.depth, how.dilation.depth, how.pad.front, how.pad.back);
    const index_t p = convolved_extent(side, 3, how.stride.height, how.dilation.height, how.pad.top,
                                       how.pad.bottom);
    const index_t q = convolved_extent(side, 3, how.stride.width, how.dilation.width, how.pad.left,
                                       how.pad.right);
    const tensor<half, 5> x{at(0x1000'0000), {batch, 4, side, side, 16}};
    return conv3d(x, volume_filter(at(far), {32, 3, 3, 3, of_filter}), how) |
           store(frames(tensor<half, 5>{at(2 * far), {batch, d, p, q, 32}}));
}

TEST(conv_volume_rules, name_what_is_wrong) {
    EXPECT_TRUE(check(slide(2, 8, {.pad = 1}, 16)));
    expect_refusal(slide(1, 8, {}, 8), "the volume has 16 channels");
    expect_refusal(slide(1, 8, {.stride = {1, 0, 1}}, 16), "strides and dilations count from 1");
    expect_refusal(slide(1, 8, {.pad = {1, 1, -1}}, 16), "padding cannot be negative");
    expect_refusal(slide(1, 8, {.groups = 3}, 16), "3 groups do not divide");
    expect_refusal(slide(1, 2, {}, 16), "larger than the padded volume");
    expect_refusal(slide(1, 8, {.dilation = {2, 1, 1}}, 16), "larger than the padded volume");
}

TEST(conv_volume_fit, large_volumes_are_walked_in_16_bytes_one_at_a_time) {
    const auto tile_of = [](index_t batch, index_t side) {
        const auto p = slide(batch, side, {.pad = 1}, 16);
        return choose_volume(p, default_tiles<std::remove_const_t<decltype(p)>>{}, 64).tile;
    };
    EXPECT_EQ(tile_of(1, 8), 1);
    EXPECT_LT(tile_of(2, 512), 2);
    EXPECT_EQ(tile_of(2, 4096), 2); // two volumes of 2 GB each
    EXPECT_LT(tile_of(1, 4096), 2);
    EXPECT_EQ(tile_of(1, 9000), 2); // frames of 2.6 GB
}

} // namespace
