// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Whether views share memory: what in-place programs and refusals rest on.
#include <r9v/tensor.hpp>
#include <r9v/tensor/region.hpp>

#include <gtest/gtest.h>
#include <vector>

using namespace r9v;
using r9v::detail::overlap;
using r9v::detail::region_of;
using r9v::detail::same_elements;

namespace {

TEST(region, axes_of_one_position_do_not_matter) {
    std::vector<float> data(2 * 3 * 4);
    const host_tensor three{data.data(), {2, 3, 4}};
    EXPECT_TRUE(same_elements(region_of(three), region_of(one_batch(three))));
    const host_tensor between{data.data(), {2, 1, 3, 4}};
    EXPECT_TRUE(same_elements(region_of(three), region_of(between)));
    EXPECT_TRUE(same_elements(region_of(between), region_of(three)));
}

TEST(region, other_extents_strides_or_starts_are_other_elements) {
    std::vector<float> data(2 * 3 * 4 + 1);
    const host_tensor from{data.data(), {2, 3, 4}};
    EXPECT_FALSE(same_elements(region_of(from), region_of(host_tensor{data.data(), {2, 4, 3}})));
    EXPECT_FALSE(same_elements(region_of(from), region_of(host_tensor{data.data(), {3, 4}})));
    EXPECT_FALSE(same_elements(region_of(host_tensor{data.data(), {3, 4}}), region_of(from)));
    EXPECT_FALSE(same_elements(region_of(from), region_of(transposed(from))));
    EXPECT_FALSE(
        same_elements(region_of(from), region_of(host_tensor{data.data() + 1, {2, 3, 4}})));
}

TEST(region, heads_of_one_tensor_are_disjoint) {
    std::vector<half> data(2 * 7 * 3 * 8);
    const host_tensor all{data.data(), {2, 7, 3, 8}};
    const auto heads = heads_first(all);
    for (index_t a = 0; a < 3; ++a)
        for (index_t b = 0; b < 3; ++b)
            EXPECT_EQ(overlap(region_of(slice(heads, 1, a, 1)), region_of(slice(heads, 1, b, 1))),
                      a == b);
    EXPECT_TRUE(overlap(region_of(all), region_of(slice(heads, 2, 6, 1))));
}

} // namespace
