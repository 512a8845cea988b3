// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Views of views name the same elements in another order of axes.
#include <r9v/tensor.hpp>

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace r9v;

namespace {

std::vector<int> counted(int count) {
    std::vector<int> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return values;
}

TEST(transform, heads_first_swaps_sequence_and_heads) {
    const auto data = counted(2 * 5 * 3 * 4);
    const host_tensor from{data.data(), {2, 5, 3, 4}};
    const auto to = heads_first(from);
    EXPECT_EQ(to.extents[1], 3);
    EXPECT_EQ(to.extents[2], 5);
    for (index_t b = 0; b < 2; ++b)
        for (index_t s = 0; s < 5; ++s)
            for (index_t h = 0; h < 3; ++h)
                for (index_t d = 0; d < 4; ++d)
                    EXPECT_EQ(to(b, h, s, d), from(b, s, h, d));
    const host_tensor packed{data.data(), {5, 3, 4}};
    EXPECT_EQ(heads_first(packed)(2, 4, 1), packed(4, 2, 1));
}

TEST(transform, channels_last_moves_them_behind_the_map) {
    const auto data = counted(2 * 3 * 4 * 5);
    const host_tensor from{data.data(), {2, 3, 4, 5}};
    const auto to = channels_last(from);
    EXPECT_EQ(to.extents[1], 4);
    EXPECT_EQ(to.extents[2], 5);
    EXPECT_EQ(to.extents[3], 3);
    for (index_t n = 0; n < 2; ++n)
        for (index_t c = 0; c < 3; ++c)
            for (index_t h = 0; h < 4; ++h)
                for (index_t w = 0; w < 5; ++w)
                    EXPECT_EQ(to(n, h, w, c), from(n, c, h, w));
    const host_tensor sequence{data.data(), {4, 5, 6}};
    EXPECT_EQ(channels_last(sequence)(3, 5, 2), sequence(3, 2, 5));
}

TEST(transform, one_batch_puts_a_batch_in_front) {
    const auto data = counted(4 * 5 * 6);
    const host_tensor from{data.data(), {4, 5, 6}};
    const auto to = one_batch(from);
    EXPECT_EQ(to.extents[0], 1);
    EXPECT_EQ(to(0, 3, 2, 1), from(3, 2, 1));
    EXPECT_EQ(one_batch(transposed(from))(0, 3, 1, 2), from(3, 2, 1));
}

} // namespace
