// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What pools, copies and upsampling stores refuse at run time, and with which words; which kernels
// take what numbers allow.
#include <r9v/copy.hpp>
#include <r9v/pool.hpp>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using namespace r9v;

struct pool_rules : ::testing::Test {
    std::vector<half> memory_x = std::vector<half>(2 * 8 * 9 * 16);
    std::vector<half> memory_y = std::vector<half>(2 * 16 * 18 * 48, from_float<half>(7.0f));
    host_tensor<half, 4> x{memory_x.data(), {2, 8, 9, 16}};

    [[nodiscard]] host_tensor<half, 4> y(index_t h, index_t w, index_t c = 16, index_t n = 2) {
        return {memory_y.data(), {n, h, w, c}};
    }

    /// Refused with a text that holds `part`, and nothing is written.
    template<class Program>
    void expect_refused(const Program& p, const char* part) {
        const status outcome = try_launch(reference, p);
        const std::string text = outcome.what();
        EXPECT_FALSE(outcome.ok());
        EXPECT_EQ(text.rfind("r9v: ", 0), 0u) << text;
        EXPECT_NE(text.find(part), std::string::npos) << text;
        EXPECT_EQ(text.back(), '.') << text;
        for (const half value : memory_y)
            ASSERT_EQ(to_float(value), 7.0f);
    }
    template<class Program>
    void expect_allowed(const Program& p) {
        const status outcome = try_launch(reference, p);
        EXPECT_TRUE(outcome.ok()) << outcome.what();
    }
};

TEST_F(pool_rules, windows) {
    expect_refused(max_pool(x, {.window = 0}) | store(y(8, 9)),
                   "the window has 0 pixels along the height. Write {.window = 2} or more");
    expect_refused(average_pool(x, {.window = {2, -1}}) | store(y(8, 9)), "along the width");
    expect_refused(max_pool(x, {.window = 2, .stride = 0}) | store(y(8, 9)), "count from 1");
    expect_refused(max_pool(x, {.window = 2, .dilation = 0}) | store(y(8, 9)), "count from 1");
    expect_refused(max_pool(x, {.window = 2, .pad = -1}) | store(y(8, 9)), "cannot be negative");
    expect_refused(
        max_pool(x, {.window = 3, .pad = 2}) | store(y(10, 11)),
        "more than half of the window (3 pixels along the height), so that windows would "
        "see nothing else. Pad 1 at most");
    expect_refused(max_pool(x, {.window = 10}) | store(y(1, 1)),
                   "larger than the padded map (8). Use a smaller window");
    expect_allowed(max_pool(x, {.window = 3, .dilation = 2, .pad = 2}) | store(y(8, 9)));
}

TEST_F(pool_rules, results) {
    constexpr pooling halving{.window = 2, .stride = 2};
    expect_refused(max_pool(x, halving) | store(y(5, 4)), "store has 5 heads");
    expect_refused(max_pool(x, halving) | store(y(4, 5)), "store has 5 rows");
    expect_refused(max_pool(x, halving) | store(y(4, 4, 24)), "store has 24 columns");
    expect_refused(max_pool(x, halving) | store(host_tensor{memory_x.data(), {2, 4, 4, 16}}),
                   "store overlaps x");
    expect_refused(global_average_pool(x) | store(y(1, 2)), "store has 2 rows");
    expect_refused(global_average_pool(slice(x, 1, 0, 0)) | store(y(1, 1)), "no pixels to average");
    expect_allowed(max_pool(x, halving) | store(y(4, 4)));
    expect_allowed(global_average_pool(x) | store(as_map(host_tensor{memory_y.data(), {2, 16}})));
}

TEST_F(pool_rules, chains) {
    expect_refused(chained_max_pool(x, {.window = 4}) | store(y(8, 9, 48)),
                   "a window of 4 pixels has no middle");
    expect_refused(chained_max_pool(x, {.window = 5, .count = 0}) | store(y(8, 9, 48)),
                   "the chain has 0 pools");
    expect_refused(chained_max_pool(x, {.window = 5}) | store(y(8, 9, 32)),
                   "store has 32 columns but the result has 48");
    expect_allowed(chained_max_pool(x, {.window = 5}) | store(y(8, 9, 48)));
}

TEST_F(pool_rules, upsampling) {
    expect_refused(
        copy(x) | store_upsampled(y(16, 17)),
        "store_upsampled has 16 x 17 pixels but the result has 8 x 9. Pass a tensor with "
        "16 x 18");
    expect_refused(copy(x) | store_upsampled(y(16, 18, 24)), "store_upsampled has 24 channels");
    expect_refused(copy(x) | store_upsampled(y(16, 18, 16, 1)), "store_upsampled has 1 batches");
    expect_refused(copy(slice(x, 1, 0, 2)) |
                       store_upsampled(host_tensor{memory_x.data() + 32, {2, 4, 18, 16}}),
                   "store_upsampled overlaps x");
    expect_allowed(copy(x) | store_upsampled(y(16, 18)));
}

TEST_F(pool_rules, copies) {
    expect_refused(copy(x) | store(y(8, 8)), "store has 8 rows");
    expect_refused(copy(x) | store(host_tensor{memory_x.data() + 8, {2, 8, 9, 16}}),
                   "store overlaps x");
    expect_allowed(copy(x) | scale(2.0f) | store(x));
}

/// Nothing is launched: the pointers are numbers.
half* at(std::uint64_t address) {
    return reinterpret_cast<half*>(address);
}
constexpr std::uint64_t near = 0x1000'0000;
constexpr std::uint64_t far = std::uint64_t{1} << 44;

constexpr copy_tile runs{};
constexpr copy_tile turned{.regime = copy_regime::turned};

TEST(copy_fits, all_elements_are_one_row_where_every_operand_has_all) {
    const tensor<half, 4> x{at(near), {2, 3, 4, 8}};
    const tensor<half, 4> y{at(far), {2, 3, 4, 8}};
    const tensor<half, 3> of_images{at(2 * far), {2, 4, 8}};
    const tensor<half, 2> of_all{at(2 * far), {4, 8}};
    EXPECT_EQ(fit_copy(copy(x) | residual(x) | store(y), runs).geometry.flat, 1);
    EXPECT_EQ(fit_copy(copy(x) | residual(of_images) | store(y), runs).geometry.flat, 0);
    EXPECT_EQ(fit_copy(copy(x) | residual(of_all) | store(y), runs).geometry.flat, 0);
    const auto one = slice(slice(x, 0, 1, 1), 1, 0, 1);
    const auto to = slice(slice(y, 0, 1, 1), 1, 0, 1);
    EXPECT_EQ(fit_copy(copy(one) | residual(of_all) | store(to), runs).geometry.flat, 1);
}

TEST(copy_fits, rows_are_turned_by_eights) {
    const auto reason = [](index_t matrices, index_t rows) {
        const tensor<half, 3> x{at(near), {matrices, 16, rows}};
        const tensor<half, 3> y{at(far), {matrices, rows, 16}};
        return fit_copy(copy(transposed(x)) | store(y), turned).reason;
    };
    EXPECT_EQ(reason(3, 8), copy_fit::misfit::none);
    EXPECT_EQ(reason(3, 7), copy_fit::misfit::layout);
    EXPECT_EQ(reason((index_t{1} << 24) - 1, 8), copy_fit::misfit::none);
    EXPECT_EQ(reason(index_t{1} << 24, 8), copy_fit::misfit::grid); // 2^32 lanes
}

TEST(pool_fits, what_lanes_count_fits_31_bits) {
    const auto reason = [](index_t images, index_t side, const pooling& how) {
        const tensor<half, 4> x{at(near), {images, side, side, 8}};
        return fit_pool(max_pool(x, how) | store(tensor<half, 4>{at(far), {1, 1, 1, 8}}), {}, 64)
            .reason;
    };
    EXPECT_EQ(reason(1, 1, {.window = 46341, .pad = 23170}), pool_fit::misfit::none);
    EXPECT_EQ(reason(1, 1, {.window = 2, .dilation = 1 << 30, .pad = 1 << 29}),
              pool_fit::misfit::grid);
    EXPECT_EQ(reason(index_t{1} << 30, 1, {.window = 1}), pool_fit::misfit::none);
    EXPECT_EQ(reason(index_t{1} << 31, 1, {.window = 1}), pool_fit::misfit::grid);
}

TEST(pool_fits, means_of_whole_maps_are_blocks) {
    const auto reason = [](index_t images) {
        const tensor<half, 4> x{at(near), {images, 1, 1, 8}};
        const tensor<half, 2> y{at(far), {images, 8}};
        return fit_global_pool(global_average_pool(x) | store(as_map(y))).reason;
    };
    EXPECT_EQ(reason((index_t{1} << 24) - 1), pool_fit::misfit::none);
    EXPECT_EQ(reason(index_t{1} << 24), pool_fit::misfit::grid);
}

/// Tiles higher than LDS holds are not tried one by one.
TEST(pool_fits, chains_of_high_maps_are_cut_at_once) {
    const tensor<half, 4> x{at(near), {1, index_t{1} << 29, 1, 8}};
    const auto y = at(far);
    const pool_fit fit =
        fit_chained_pool(chained_max_pool(x, {.window = 5, .count = 1}) |
                             store(tensor<half, 4>{y, {1, index_t{1} << 29, 1, 8}}),
                         64);
    EXPECT_EQ(fit.reason, pool_fit::misfit::none);
    EXPECT_GT(fit.blocks, 1 << 18);
}

} // namespace
