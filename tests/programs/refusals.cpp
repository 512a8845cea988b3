// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a launch refuses: our text through launch and try_launch alike, with the caller's source
// location, and nothing written.

#include <r9v/r9v.hpp>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

class refusals : public ::testing::Test {
protected:
    static constexpr index_t m = 16;
    static constexpr index_t n = 32;
    static constexpr index_t k = 24;

    std::vector<half> zeros = std::vector<half>(static_cast<std::size_t>(64 * 64));
    buffer<half> memory_x{zeros};
    buffer<half> memory_w{zeros};
    buffer<half> memory_b{zeros};
    std::vector<half> pattern =
        std::vector<half>(static_cast<std::size_t>(64 * 64), from_float<half>(7.0f));
    buffer<half> memory_y{pattern};
    stream s;

    tensor<half, 2> x = memory_x.view({m, k});
    tensor<half, 2> w = memory_w.view({n, k});
    tensor<half, 1> b = memory_b.view({n});
    tensor<half, 2> y = memory_y.view({m, n});

    /// `p` is refused with a text that holds `part` and a hint, and y stays as it was.
    template<class Program>
    void expect_refused(const Program& p, const char* part) {
        const status outcome = try_launch(s, p);
        ASSERT_FALSE(outcome.ok());
        const std::string text = outcome.what();
        EXPECT_EQ(text.rfind("r9v: ", 0), 0u) << text;
        EXPECT_NE(text.find(part), std::string::npos) << text;
        EXPECT_EQ(text.back(), '.') << text;
        EXPECT_NE(std::string{outcome.error().where().file_name()}.find("refusals.cpp"),
                  std::string::npos);
        EXPECT_FALSE(can_launch(p).ok());
        try {
            launch(s, p);
            ADD_FAILURE() << "launch did not throw";
        } catch (const error& e) {
            EXPECT_EQ(text, e.what());
        }
        for (const half value : memory_y.download(s))
            ASSERT_EQ(to_float(value), 7.0f);
    }
};

TEST_F(refusals, inner_sizes_differ) {
    expect_refused(gemm(x, memory_w.view({n, k + 1})) | store(y), "x has 24 columns (k)");
}

TEST_F(refusals, bias_too_short) {
    expect_refused(gemm(x, w) | bias(memory_b.view({n - 1})) | store(y), "bias has 31 columns");
}

TEST_F(refusals, result_of_other_size) {
    expect_refused(gemm(x, w) | store(memory_y.view({m, n + 1})), "store has 33 columns");
    expect_refused(gemm(x, w) | store(memory_y.view({m - 1, n})), "store has 15 rows");
}

TEST_F(refusals, store_over_inputs) {
    const auto over_x = tensor<half, 2>{memory_x.data(), {m, n}};
    expect_refused(gemm(x, w) | store(over_x), "store overlaps x");
    const auto over_w = tensor<half, 2>{memory_w.data() + 700, {m, n}};
    expect_refused(gemm(x, w) | store(over_w), "store overlaps the weight");
}

TEST_F(refusals, store_beside_what_it_reads) {
    const auto shifted = tensor<half, 2>{memory_y.data() + 8, {m, n}};
    expect_refused(gemm(x, w) | residual(shifted) | store(y), "store overlaps residual");
    const auto transposed_y = transposed(tensor<half, 2>{memory_y.data(), {n, m}});
    expect_refused(gemm(x, w) | residual(transposed_y) | store(y), "store overlaps residual");
}

TEST_F(refusals, two_results_in_one_place) {
    expect_refused(gemm(x, w) | tee(y) | store(y), "overlaps");
}

TEST_F(refusals, prologue_reads_what_is_written) {
    const auto over = tensor<half, 1>{memory_y.data(), {k}};
    expect_refused(gemm(x | scale(per_column(over)), w) | store(y), "store overlaps scale");
}

TEST_F(refusals, null_data) {
    expect_refused(gemm(x, w) | bias(tensor<half, 1>{nullptr, {n}}) | store(y),
                   "bias has null data");
    expect_refused(gemm(tensor<half, 2>{nullptr, {m, k}}, w) | store(y), "x has null data");
}

TEST_F(refusals, layout_that_lies) {
    const tensor<half, 2> strided{memory_x.data(), {m, k}, {2 * k, 2}};
    expect_refused(gemm(strided, w) | store(y), "declared row_major but its last stride is 2");
}

TEST_F(refusals, repeated_destination) {
    const tensor<half, 2> same_row{memory_y.data(), {m, n}, {0, 1}};
    expect_refused(gemm(x, w) | store(same_row), "two positions of store are the same memory");
}

TEST_F(refusals, batches_without_a_batch_axis) {
    const auto x3 = memory_x.view({index_t{2}, m, k});
    expect_refused(gemm(x3, w) | store(y), "store has no batch axis");
    const auto w3 = memory_w.view({index_t{3}, index_t{8}, k});
    expect_refused(gemm(x3, w3) | store(memory_y.view({index_t{2}, m, index_t{8}})), "2 batches");
}

TEST_F(refusals, groups_of_odd_size) {
    const buffer<float> steps{std::vector<float>(static_cast<std::size_t>(m * 3))};
    expect_refused(gemm(x, w) | scale(per_group(steps.view({m, index_t{3}}), 12)) | store(y),
                   "power of two");
}

TEST_F(refusals, grid_too_large) {
    // Views only: nothing of that size is touched.
    constexpr index_t huge = index_t{1} << 40;
    const tensor<half, 2> tall{memory_x.data(), {huge, k}, {k, 1}};
    const tensor<half, 2> result{memory_y.data() + (index_t{1} << 50), {huge, n}, {n, 1}};
    expect_refused(gemm(tall, w) | store(result), "blocks");
}

TEST_F(refusals, scratch_missing) {
    const buffer<float> sums{std::vector<float>(static_cast<std::size_t>(m))};
    const auto p = gemm(x, w) | sum_rows(sums.view({m})) | store(y);
    const status outcome = try_launch(s, p);
    ASSERT_FALSE(outcome.ok());
    EXPECT_NE(std::string{outcome.what()}.find("bytes of scratch memory"), std::string::npos);
    EXPECT_TRUE(can_launch(p).ok());
    EXPECT_GT(workspace_bytes(p), 0u);
}

TEST_F(refusals, empty_any_program) {
    const status outcome = try_launch(s.handle(), any_program{});
    ASSERT_FALSE(outcome.ok());
    EXPECT_NE(std::string{outcome.what()}.find("any_program is empty"), std::string::npos);
}

} // namespace
