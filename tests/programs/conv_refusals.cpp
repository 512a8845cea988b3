// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What convolutions refuse, each in one sentence with nothing written, and what looks odd but is
// not: nothing to compute, sums of nothing, maps that run backwards.

#include <r9v/conv.hpp>
#include <r9v/memory.hpp>

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

class conv_refusals : public ::testing::Test {
protected:
    static constexpr filter_extents of{24, 3, 3, 16};

    std::vector<half> zeros = std::vector<half>(static_cast<std::size_t>(1 << 16));
    buffer<half> memory_x{zeros};
    buffer<half> memory_f{zeros};
    buffer<half> memory_b{zeros};
    std::vector<half> pattern =
        std::vector<half>(static_cast<std::size_t>(1 << 14), from_float<half>(7.0f));
    buffer<half> memory_y{pattern};
    stream s;

    tensor<half, 4> x = memory_x.view({index_t{2}, index_t{8}, index_t{9}, index_t{16}});
    tensor<half, 4> y = memory_y.view({index_t{2}, index_t{8}, index_t{9}, index_t{24}});

    [[nodiscard]] auto weights(const filter_extents& extents = of) const {
        return filter(memory_f.data(), extents);
    }
    [[nodiscard]] auto product(const convolution& how = {.pad = 1}) const {
        return conv2d(x, weights(), how);
    }

    void expect_untouched() {
        for (const half value : memory_y.download(s))
            ASSERT_EQ(to_float(value), 7.0f);
    }
    /// `p` is refused with a text that holds `part` and a hint, and y stays as it was.
    template<class Program>
    void expect_refused(const Program& p, const char* part) {
        const status outcome = try_launch(s, p);
        ASSERT_FALSE(outcome.ok());
        const std::string text = outcome.what();
        EXPECT_EQ(text.rfind("r9v: ", 0), 0u) << text;
        EXPECT_NE(text.find(part), std::string::npos) << text;
        EXPECT_EQ(text.back(), '.') << text;
        EXPECT_FALSE(can_launch(p).ok());
        EXPECT_THROW(launch(s, p), error);
        expect_untouched();
    }
};

TEST_F(conv_refusals, channels_of_the_filter) {
    expect_refused(conv2d(x, weights({24, 3, 3, 8}), {.pad = 1}) | store(y),
                   "the map has 16 channels in 1 groups but the filter takes 8");
    expect_refused(conv2d(x, weights(), {.pad = 1, .groups = 2}) | store(y),
                   "the map has 16 channels in 2 groups but the filter takes 16");
}

TEST_F(conv_refusals, groups_that_do_not_divide) {
    expect_refused(conv2d(x, weights({24, 3, 3, 5}), {.pad = 1, .groups = 3}) | store(y),
                   "3 groups do not divide 16 input and 24 output channels");
    expect_refused(conv2d(x, weights({25, 3, 3, 8}), {.pad = 1, .groups = 2}) | store(y),
                   "2 groups do not divide 16 input and 25 output channels");
    expect_refused(product({.pad = 1, .groups = 0}) | store(y), "there are 0 groups");
}

TEST_F(conv_refusals, result_of_other_size) {
    const auto view = [&](index_t b, index_t h, index_t w, index_t c) {
        return memory_y.view({b, h, w, c});
    };
    expect_refused(product() | store(view(2, 8, 9, 23)), "store has 23 columns");
    expect_refused(product() | store(view(2, 8, 8, 24)), "store has 8 rows");
    expect_refused(product() | store(view(2, 7, 9, 24)), "store has 7 heads");
    expect_refused(product() | store(view(1, 8, 9, 24)), "store has 1 batches");
    expect_refused(product({}) | store(y), "the result has");
}

TEST_F(conv_refusals, results_without_images_or_rows) {
    expect_refused(product() | store(memory_y.view({index_t{2}, index_t{9}, index_t{24}})),
                   "store has no head axis");
    expect_refused(product() | store(memory_y.view({index_t{9}, index_t{24}})),
                   "store has no head axis");
    expect_refused(product() | tee(memory_y.view({index_t{9}, index_t{24}})) | store(y),
                   "tee has no head axis");
}

TEST_F(conv_refusals, operands_of_other_size) {
    const auto vector = [&](index_t n) {
        return memory_b.view({n});
    };
    expect_refused(product() | bias(vector(23)) | store(y), "bias has 23 columns");
    expect_refused(product() | scale_shift(vector(24), vector(9)) | store(y),
                   "scale_shift shift has 9 columns");
    expect_refused(product() | residual(memory_b.view({index_t{8}, index_t{24}})) | store(y),
                   "residual has 8 rows");
    expect_refused(product() | residual(memory_b.view({index_t{3}, index_t{9}, index_t{24}})) |
                       store(y),
                   "residual has 3 batches");
    expect_refused(conv2d(x | scale(per_column(vector(24))), weights(), {.pad = 1}) | store(y),
                   "scale has 24 columns");
}

TEST_F(conv_refusals, filter_larger_than_the_padded_map) {
    expect_refused(conv2d(x, weights({24, 9, 3, 16})) | store(y),
                   "the filter is larger than the padded map (8 x 9)");
    expect_refused(product({.dilation = 5, .pad = 1}) | store(y),
                   "the filter is larger than the padded map (10 x 11)");
}

TEST_F(conv_refusals, numbers_that_mean_nothing) {
    expect_refused(product({.stride = 0}) | store(y), "strides and dilations count from 1");
    expect_refused(product({.dilation = {1, 0}}) | store(y), "strides and dilations count from 1");
    expect_refused(product({.pad = {1, 1, -1, 1}}) | store(y), "padding cannot be negative");
    expect_refused(conv2d(x, weights({24, 0, 3, 16})) | store(y), "at least one tap");
}

TEST_F(conv_refusals, filters_in_the_wrong_place) {
    const half* const none = nullptr;
    expect_refused(conv2d(x, filter(none, of), {.pad = 1}) | store(y), "the filter has null data");
    expect_refused(conv2d(x, filter(memory_f.data() + 4, of), {.pad = 1}) | store(y),
                   "not aligned to 16 bytes");
    expect_refused(conv2d(x, filter(memory_y.data(), of), {.pad = 1}) | store(y),
                   "store overlaps the filter");
}

TEST_F(conv_refusals, a_map_that_is_written) {
    const tensor<half, 4> over{memory_y.data(), {2, 8, 9, 16}};
    expect_refused(conv2d(over, weights(), {.pad = 1}) | store(y), "store overlaps x");
}

TEST_F(conv_refusals, nothing_to_compute_is_no_mistake) {
    const auto empty = [&](index_t b, index_t k) {
        const tensor<half, 4> map{memory_x.data(), {b, 8, 9, 16}};
        const tensor<half, 4> to{memory_y.data(), {b, 8, 9, k}};
        return conv2d(map, weights({k, 3, 3, 16}), {.pad = 1}) | store(to);
    };
    EXPECT_TRUE(try_launch(s, empty(0, 24)).ok());
    EXPECT_TRUE(try_launch(s, empty(2, 0)).ok());
    expect_untouched();
}

TEST_F(conv_refusals, sums_of_nothing_are_zero_and_go_on) {
    const tensor<half, 4> map{memory_x.data(), {2, 8, 9, 0}};
    const std::vector<half> ones(24, from_float<half>(1.5f));
    const buffer<half> added{ones};
    const half* const none = nullptr; // also of weights
    launch(s, conv2d(map, filter(none, {24, 3, 3, 0}), {.pad = 1}) |
                  bias(added.view({index_t{24}})) | store(y));
    const std::vector<half> values = memory_y.download(s);
    for (index_t i = 0; i < 2 * 8 * 9 * 24; ++i)
        ASSERT_EQ(to_float(values[static_cast<std::size_t>(i)]), 1.5f) << i;
}

TEST_F(conv_refusals, maps_of_nothing_but_padding) {
    half* const none = nullptr;
    const std::vector<half> ones(24, from_float<half>(1.5f));
    const buffer<half> added{ones};
    const auto expect_bias = [&](index_t h, index_t w, const padding& pad) {
        for (const index_t c : {index_t{3}, index_t{5}, index_t{16}}) { // every loader of maps
            const tensor<half, 4> map{none, {2, h, w, c}};
            launch(s, conv2d(map, weights({24, 3, 3, c}), {.pad = pad}) |
                          bias(added.view({index_t{24}})) | store(y));
            const std::vector<half> values = memory_y.download(s);
            for (index_t i = 0; i < 2 * 8 * 9 * 24; ++i)
                ASSERT_EQ(to_float(values[static_cast<std::size_t>(i)]), 1.5f) << i;
        }
    };
    expect_bias(0, 9, {5, 5, 1, 1});
    expect_bias(8, 0, {1, 1, 5, 6});
}

TEST_F(conv_refusals, padding_that_no_kernel_can_count) {
    constexpr int most = std::numeric_limits<int>::max();
    const convolution far{.stride = {1 << 30, 1}, .pad = {most, most, 1, 1}};
    const tensor<half, 4> few{memory_y.data(), {2, 5, 9, 24}};
    expect_refused(conv2d(x, weights(), far) | store(few), "more pixels or blocks");
}

TEST_F(conv_refusals, maps_that_no_kernel_can_count) {
    constexpr int most = std::numeric_limits<int>::max();
    constexpr index_t tall = (index_t{1} << 32) + 1; // 1 in 32 bits
    const tensor<half, 4> map{memory_x.data(), {1, tall, 1, 16}, {0, 0, 0, 1}};
    const tensor<half, 4> image{memory_x.data(), {1, tall, 1, 3}, {0, 0, 0, 1}};
    const tensor<half, 5> volume{memory_x.data(), {1, 1, tall, 1, 16}, {0, 0, 0, 0, 1}};
    const tensor<half, 4> five{memory_y.data(), {1, 5, 1, 24}};
    const tensor<half, 4> three{memory_y.data(), {1, 3, 1, 24}};
    expect_refused(
        conv2d(image, stem_filter(memory_f.data(), {24, 1, 1, 3}), {.stride = {1 << 30, 1}}) |
            store(five),
        "more pixels or blocks");
    expect_refused(conv3d(volume, volume_filter(memory_f.data(), {24, 1, 1, 1, 16}),
                          {.stride = {1, 1 << 30, 1}}) |
                       store(five),
                   "more pixels or blocks");
    expect_refused(conv_transpose2d(map, transposed_filter(memory_f.data(), {24, 1, 1, 16}),
                                    {.pad = {most, most, 0, 0}}) |
                       store(three),
                   "more pixels or blocks");
}

/// Small whole numbers, so that sums are exact in any order.
std::vector<half> whole_numbers(index_t count, unsigned seed) {
    std::vector<half> values(static_cast<std::size_t>(count));
    for (half& v : values) {
        seed = seed * 1664525u + 1013904223u;
        v = from_float<half>(static_cast<float>(static_cast<int>(seed >> 29)) - 3.0f);
    }
    return values;
}

TEST_F(conv_refusals, maps_may_run_backwards) {
    constexpr index_t h = 8;
    constexpr index_t w = 9;
    constexpr index_t c = 16;
    const std::vector<half> values = whole_numbers(h * w * c, 1);
    std::vector<half> turned(values.size());
    for (index_t row = 0; row < h; ++row)
        for (index_t column = 0; column < w; ++column)
            for (index_t channel = 0; channel < c; ++channel)
                turned[static_cast<std::size_t>((row * w + column) * c + channel)] =
                    values[static_cast<std::size_t>(((h - 1 - row) * w + (w - 1 - column)) * c +
                                                    channel)];
    std::vector<half> packed(static_cast<std::size_t>(packed_filter_elements(of)));
    const std::vector<half> plain = whole_numbers(of.k * of.r * of.s * of.c, 2);
    pack_filter(host_tensor{plain.data(), {of.k, of.r, of.s, of.c}}, packed.data());

    const buffer<half> memory_map{values};
    const buffer<half> memory_turned{turned};
    const buffer<half> memory_packed{packed};
    const buffer<half> memory_other{pattern};
    const auto f = filter(memory_packed.data(), of);
    const tensor<half, 4> backwards{
        memory_map.data() + (h * w - 1) * c, {1, h, w, c}, {h * w * c, -w * c, -c, 1}};
    const tensor<half, 4> forwards{memory_turned.data(), {1, h, w, c}};
    launch(s, conv2d(backwards, f, {.pad = 1}) | store(memory_y.view({index_t{1}, h, w, of.k})));
    launch(s, conv2d(forwards, f, {.pad = 1}) | store(memory_other.view({index_t{1}, h, w, of.k})));
    const std::vector<half> found = memory_y.download(s);
    const std::vector<half> expected = memory_other.download(s);
    int different_from_zero = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(to_float(found[i]), to_float(expected[i])) << i;
        different_from_zero += to_float(found[i]) != 0.0f ? 1 : 0;
    }
    EXPECT_GT(different_from_zero, h * w * of.k / 2);
}

} // namespace
