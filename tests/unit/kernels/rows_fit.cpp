// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How rows are shared, by shape, strides and device, and what the checks refuse. Nothing is
// launched: the pointers are numbers.
#include <r9v/kernels/rows/family.hpp>
#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

#include <gtest/gtest.h>
#include <string>

namespace {

using namespace r9v;

template<class T = half>
T* at(std::uint64_t address) {
    return reinterpret_cast<T*>(address);
}

constexpr int units = 64;
constexpr row_tile tiles[] = {detail::held_tile, detail::streaming_tile, detail::split_tile};

auto by_rows(r9v::index_t rows, r9v::index_t columns) {
    return softmax(tensor{at(0x1000'0000), {rows, columns}}) |
           store(tensor{at(0x8000'0000), {rows, columns}});
}
auto by_columns(r9v::index_t rows, r9v::index_t columns) {
    return softmax(transposed(tensor{at(0x1000'0000), {columns, rows}})) |
           store(transposed(tensor{at(0x8000'0000), {columns, rows}}));
}

struct sharing {
    row_regime regime;
    int lanes;
    int waves;
    friend bool operator==(const sharing&, const sharing&) = default;
};
void PrintTo(const sharing& s, std::ostream* to) {
    *to << "regime " << static_cast<int>(s.regime) << ", " << s.lanes << " lanes, " << s.waves
        << " waves";
}

template<class Program>
sharing sharing_of(const Program& p) {
    const row_choice choice = choose_rows(p, tiles, 3, units);
    EXPECT_GE(choice.tile, 0);
    const row_geometry& g = choice.fit.geometry;
    return {tiles[choice.tile].regime, 1 << g.lanes_shift, 1 << g.waves_shift};
}

constexpr auto held = row_regime::registers;

TEST(rows_fit, short_rows_share_a_wave) {
    EXPECT_EQ(sharing_of(by_rows(100000, 1)), (sharing{held, 1, 1}));
    EXPECT_EQ(sharing_of(by_rows(100000, 8)), (sharing{held, 1, 1}));
    EXPECT_EQ(sharing_of(by_rows(100000, 31)), (sharing{held, 4, 1}));
    EXPECT_EQ(sharing_of(by_rows(100000, 128)), (sharing{held, 16, 1}));
}

TEST(rows_fit, a_wave_or_a_block_has_a_row) {
    EXPECT_EQ(sharing_of(by_rows(100000, 256)), (sharing{held, 32, 1}));
    EXPECT_EQ(sharing_of(by_rows(100000, 2048)), (sharing{held, 32, 1}));
    EXPECT_EQ(sharing_of(by_rows(100000, 2049)), (sharing{held, 32, 2}));
    EXPECT_EQ(sharing_of(by_rows(100000, 16384)), (sharing{held, 32, 8}));
}

TEST(rows_fit, few_rows_are_shared_by_more_waves) {
    EXPECT_EQ(sharing_of(by_rows(4, 2048)), (sharing{held, 32, 8}));
    EXPECT_EQ(sharing_of(by_rows(256, 1024)), (sharing{held, 32, 2}));
    EXPECT_EQ(sharing_of(by_rows(4, 256)), (sharing{held, 32, 1})); // a run for each lane
}

TEST(rows_fit, long_rows_stream_by_and_few_of_them_are_split) {
    EXPECT_EQ(sharing_of(by_rows(1000, 16385)).regime, row_regime::streaming);
    EXPECT_EQ(sharing_of(by_rows(2, 16385)).regime, row_regime::streaming);
    EXPECT_EQ(sharing_of(by_rows(64, 300000)).regime, row_regime::streaming);
    EXPECT_EQ(sharing_of(by_rows(3, 131072)).regime, row_regime::split);
    const row_fit split = fit_rows(by_rows(1, 262144), detail::split_tile, units);
    EXPECT_EQ(split.geometry.parts, 64); // a block for each compute unit
    EXPECT_EQ(split.blocks, 64);
    EXPECT_EQ(fit_rows(by_rows(1, 40000), detail::split_tile, units).geometry.parts, 20);
}

// Rows that are neighbours in memory go to neighbouring lanes.
TEST(rows_fit, another_axis_has_a_row_in_each_lane) {
    EXPECT_EQ(sharing_of(by_columns(4096, 64)).lanes, 1);
    EXPECT_EQ(sharing_of(by_columns(3, 64)).lanes, 8);
    EXPECT_EQ(sharing_of(by_columns(1, 512)).lanes, 32);
}

TEST(rows_fit, offsets_beyond_32_bits_take_the_narrow_path) {
    const tensor<half, 2> far{at(0x1000'0000), {64, 100}, {r9v::index_t{1} << 30, 1}};
    const auto p = softmax(far) | store(tensor{at(0x8000'0000), {64, 100}});
    EXPECT_EQ(fit_rows(p, detail::held_tile, units).geometry.wide, 0);
    EXPECT_EQ(fit_rows(by_rows(64, 100), detail::held_tile, units).geometry.wide, 1);
    const tensor<half, 2> backwards{at(0x1000'0000), {64, 100}, {-100, 1}};
    const auto q = softmax(backwards) | store(tensor{at(0x8000'0000), {64, 100}});
    EXPECT_EQ(fit_rows(q, detail::held_tile, units).geometry.wide, 0);
}

template<class Program>
std::string refusal(const Program& p) {
    return check(p).what();
}

TEST(rows_rules, results_may_go_where_the_source_is) {
    const tensor x{at(0x1000'0000), {64, 100}};
    EXPECT_EQ(refusal(softmax(x) | store(x)), "");
    EXPECT_EQ(refusal(rms_norm(tensor{at(0x2000'0000), {64, 100}} | residual(x)) | store(x)), "");
    const tensor shifted{at(0x1000'0010), {64, 100}};
    EXPECT_NE(refusal(softmax(x) | store(shifted)).find("overlaps"), std::string::npos);
}

TEST(rows_rules, a_stream_may_be_added_to_in_place_where_rows_are_read_once) {
    const tensor x{at(0x1000'0000), {64, 4096}};
    const tensor stream{at(0x2000'0000), {64, 4096}};
    const tensor y{at(0x3000'0000), {64, 4096}};
    const auto p = rms_norm(x | residual(stream) | tee(stream)) | store(y);
    EXPECT_EQ(refusal(p), "");
    EXPECT_EQ(fit_rows(p, detail::held_tile, units).reason, row_fit::misfit::none);
    EXPECT_EQ(fit_rows(p, detail::streaming_tile, units).reason, row_fit::misfit::again);
}

TEST(rows_rules, extents_must_agree) {
    const tensor x{at(0x1000'0000), {64, 100}};
    EXPECT_NE(refusal(softmax(x) | store(tensor{at(0x2000'0000), {64, 101}}))
                  .find("has 101 columns but the result has 100"),
              std::string::npos);
    EXPECT_NE(refusal(log_sum_exp(x) | store(tensor{at(0x2000'0000), {64, 100}}))
                  .find("has 100 columns but the result has 1"),
              std::string::npos);
}

TEST(rows_rules, top_k_takes_no_more_than_a_row_has) {
    const tensor x{at(0x1000'0000), {64, 10}};
    for (const int k : {0, 11, 65}) {
        const auto p = softmax(x) | top_k(k, tensor{at<float>(0x2000'0000), {64, k}},
                                          tensor{at<std::int32_t>(0x3000'0000), {64, k}});
        EXPECT_NE(refusal(p).find("top_k() gives 1 to 64 of the row's values"), std::string::npos);
    }
    const auto p = softmax(x) | top_k(5, tensor{at<float>(0x2000'0000), {64, 4}},
                                      tensor{at<std::int32_t>(0x3000'0000), {64, 5}});
    EXPECT_NE(refusal(p).find("top_k values has 4 columns"), std::string::npos);
}

} // namespace
