// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What convolutions refuse, each in one sentence with nothing written, and the empty ones that they
// do not.

#include <r9v/conv.hpp>
#include <r9v/memory.hpp>

#include <gtest/gtest.h>
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
    launch(s, conv2d(map, weights({24, 3, 3, 0}), {.pad = 1}) | bias(added.view({index_t{24}})) |
                  store(y));
    const std::vector<half> values = memory_y.download(s);
    for (index_t i = 0; i < 2 * 8 * 9 * 24; ++i)
        ASSERT_EQ(to_float(values[static_cast<std::size_t>(i)]), 1.5f) << i;
}

} // namespace
