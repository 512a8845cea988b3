// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which overlaps a launch refuses, and which parts of one larger tensor it takes for what they are.
// The checks are the same for every executor, so these programs run on the reference.

#include <r9v/r9v.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

class overlaps : public ::testing::Test {
protected:
    template<layout Layout>
    using matrix = host_tensor<half, 2, Layout>;
    using rows = matrix<layout::row_major>;
    using columns = matrix<layout::column_major>;
    using any = matrix<layout::strided>;
    using batches = host_tensor<half, 3>;

    std::vector<half> inputs = std::vector<half>(256);
    std::vector<half> memory = std::vector<half>(1024);
    half* at = memory.data();
    rows x{inputs.data(), {4, 8}};
    rows w{inputs.data(), {6, 8}};
    batches x3{inputs.data(), {3, 4, 8}};
    batches w3{inputs.data(), {3, 6, 8}};

    template<class First, class Second>
    status both_written(const First& a, const Second& b) {
        if constexpr (First::rank == 3) {
            return try_launch(reference, gemm(x3, w3) | tee(a) | store(b));
        } else {
            return try_launch(reference, gemm(x, w) | tee(a) | store(b));
        }
    }
    template<class First, class Second>
    void expect_apart(const First& a, const Second& b) {
        EXPECT_STREQ(both_written(a, b).what(), "");
        EXPECT_STREQ(both_written(b, a).what(), "");
    }
    template<class First, class Second>
    void expect_refused(const First& a, const Second& b) {
        EXPECT_FALSE(both_written(a, b).ok());
        EXPECT_FALSE(both_written(b, a).ok());
    }
};

TEST_F(overlaps, columns_of_a_concatenation) {
    const rows left{at, {4, 6}, {12, 1}};
    expect_apart(left, rows{at + 6, {4, 6}, {12, 1}});
    expect_refused(left, rows{at + 5, {4, 6}, {12, 1}});
    expect_refused(left, rows{at + 7, {4, 6}, {12, 1}}); // its end is the next row's begin
}

TEST_F(overlaps, rows_of_a_transposed_concatenation) {
    const columns upper{at, {4, 6}, {1, 8}};
    expect_apart(upper, columns{at + 4, {4, 6}, {1, 8}});
    expect_refused(upper, columns{at + 3, {4, 6}, {1, 8}});
}

TEST_F(overlaps, heads_beside_one_another) {
    const batches queries{at, {3, 4, 6}, {6, 36, 1}};
    expect_apart(queries, batches{at + 18, {3, 4, 6}, {6, 36, 1}});
    expect_refused(queries, batches{at + 17, {3, 4, 6}, {6, 36, 1}});
}

TEST_F(overlaps, interleaved_batches) {
    const batches even{at, {3, 4, 6}, {12, 36, 1}};
    expect_apart(even, batches{at + 6, {3, 4, 6}, {12, 36, 1}});
    expect_refused(even, batches{at + 7, {3, 4, 6}, {12, 36, 1}});
}

TEST_F(overlaps, source_in_the_same_tensor) {
    const batches from{at, {3, 4, 8}, {8, 42, 1}};
    EXPECT_TRUE(
        try_launch(reference, gemm(from, w3) | store(batches{at + 24, {3, 4, 6}, {6, 42, 1}}))
            .ok());
    EXPECT_FALSE(
        try_launch(reference, gemm(from, w3) | store(batches{at + 23, {3, 4, 6}, {6, 42, 1}}))
            .ok());
}

TEST_F(overlaps, every_second_element) {
    expect_apart(any{at, {4, 6}, {12, 2}}, any{at + 1, {4, 6}, {12, 2}});
    expect_refused(any{at, {4, 6}, {12, 2}}, any{at + 2, {4, 6}, {12, 2}});
}

TEST_F(overlaps, rows_upside_down) {
    const rows up{at + 36, {4, 6}, {-12, 1}};
    expect_apart(up, rows{at + 6, {4, 6}, {12, 1}});
    expect_refused(up, rows{at + 5, {4, 6}, {12, 1}});
    EXPECT_TRUE(try_launch(reference, gemm(x, w) | store(up)).ok());
}

TEST_F(overlaps, in_place_only_element_by_element) {
    const auto onto = [&](const auto& read, const auto& written) {
        return try_launch(reference, gemm(x, w) | residual(read) | store(written)).ok();
    };
    const rows y{at, {4, 6}};
    EXPECT_TRUE(onto(y, y));
    EXPECT_FALSE(onto(rows{at + 1, {4, 6}}, y));
    EXPECT_FALSE(onto(rows{at + 18, {4, 6}, {-6, 1}}, y));
    EXPECT_FALSE(onto(rows{at, {4, 6}, {0, 1}}, y));
    EXPECT_FALSE(onto(host_tensor<bf16, 2>{reinterpret_cast<bf16*>(at) + 4, {4, 6}}, y));
}

/// What a launch fills for a row statistic: its elements and nothing else.
TEST_F(overlaps, fills_of_strided_statistics) {
    const batches y{at, {3, 4, 6}};
    std::vector<float> statistic(64);
    const auto filled = [&](index_t offset, index_t batch_step, index_t row_step) {
        std::fill(statistic.begin(), statistic.end(), -1.0f);
        const host_tensor<float, 2, layout::strided> t{
            statistic.data() + offset, {3, 4}, {batch_step, row_step}};
        launch(reference, gemm(x3, w3) | absmax_rows(t) | store(y));
        for (index_t batch = 0; batch < 3; ++batch)
            for (index_t row = 0; row < 4; ++row)
                EXPECT_EQ(t(batch, row), 0.0f) << batch << ", " << row;
        return std::count(statistic.begin(), statistic.end(), 0.0f);
    };
    EXPECT_EQ(filled(0, 4, 1), 12);
    EXPECT_EQ(filled(0, 9, 1), 12);
    EXPECT_EQ(filled(3, 4, -1), 12);
    EXPECT_EQ(filled(40, -9, -1), 12);
    EXPECT_EQ(filled(0, 1, 3), 12);
    EXPECT_EQ(filled(0, 1, 5), 12);
    EXPECT_EQ(filled(0, 12, 3), 12);
    const host_tensor<float, 2, layout::strided> apart{statistic.data(), {3, 4}, {2, 7}};
    EXPECT_FALSE(try_launch(reference, gemm(x3, w3) | absmax_rows(apart) | store(y)).ok());
}

} // namespace
