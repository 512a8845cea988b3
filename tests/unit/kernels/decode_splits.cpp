// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How decode divides keys among blocks: the choice on the host, and what a window leaves to divide.

#include <r9v/kernels/attention/decode_layout.hpp>
#include <r9v/kernels/attention/decode_splits.hpp>
#include <r9v/ops.hpp>

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>

namespace r9v_test {

namespace {

using namespace r9v;
using namespace r9v::kernels;

constexpr index_t resident = 64 * decode_resident_blocks(4, 8);

constexpr index_t splits_of(index_t blocks, index_t steps) {
    return decode_splits({.blocks = blocks, .steps = steps, .waves = 8, .resident = resident});
}

TEST(decode_splits, fill_the_device_without_a_second_round) {
    for (const index_t blocks : {1, 2, 3, 8, 16, 40, 100})
        for (const index_t steps : {1024, 4096, 100000}) {
            const index_t splits = splits_of(blocks, steps);
            EXPECT_LE(splits * blocks, resident) << blocks << " blocks, " << steps << " steps";
            EXPECT_GE(splits * blocks, std::min(resident, blocks * 128) / 5)
                << blocks << " blocks, " << steps << " steps";
        }
}

TEST(decode_splits, leave_programs_whole_that_fill_the_device_or_are_short) {
    EXPECT_EQ(splits_of(resident, 1024), 1);
    EXPECT_EQ(splits_of(64, 8), 1);
    EXPECT_EQ(splits_of(1, 0), 1);
    EXPECT_EQ(splits_of(1, 1), 1);
}

TEST(decode_splits, give_every_wave_a_step) {
    for (index_t steps = 1; steps < 3000; steps += 7)
        EXPECT_LE(splits_of(1, steps), ceil_div<index_t>(steps, 8));
}

using heads = tensor<const half, 4>;

template<class Scores>
index_t columns_left(const Scores& scores) {
    auto p = attention(heads{nullptr, {1, 4, 1, 128}}, heads{nullptr, {1, 1, 8192, 128}},
                       heads{nullptr, {1, 1, 8192, 128}}, scores);
    r9v::bind(p.head.scores, p.head.most_scores());
    return most_columns(p.head);
}

TEST(decode_splits, divide_what_masks_leave) {
    EXPECT_EQ(columns_left(scale(1.0f)), 8192);
    EXPECT_EQ(columns_left(causal(bottom_right)), 8192);
    EXPECT_EQ(columns_left(causal(top_left)), 1);
    EXPECT_EQ(columns_left(window(1000)), 1000);
    EXPECT_EQ(columns_left(causal(bottom_right) | window(10, -1)), 11);
    EXPECT_EQ(columns_left(prefix(0)), 0);
    // Lengths on the device are not read on the host.
    EXPECT_EQ(columns_left(prefix(tensor<const std::int32_t, 1>{nullptr, {1}})), 8192);
}

TEST(decode_place, visits_every_part_once) {
    attention_geometry g;
    g.heads = tile::divisor{3};
    g.query_blocks = tile::divisor{5};
    g.splits = tile::divisor{7};
    std::set<std::array<std::uint32_t, 4>> seen;
    for (std::uint32_t block = 0; block < 2 * 3 * 5 * 7; ++block) {
        const decode_place at = decode_place_of<4>(g, block);
        EXPECT_LT(at.sequence, 2u);
        EXPECT_LT(at.key_head, 3u);
        EXPECT_EQ(at.row % 4, 0u);
        EXPECT_LT(at.row, 20u);
        EXPECT_LT(at.split, 7u);
        seen.insert({at.sequence, at.key_head, at.row, at.split});
    }
    EXPECT_EQ(seen.size(), 2u * 3 * 5 * 7);
}

} // namespace

} // namespace r9v_test
