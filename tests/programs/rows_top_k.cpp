// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// top_k behind softmax and log_softmax: weights of each kind, equal values, rows of any length.

#include "rows_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

/// Logits a sixteenth apart, many of them equal: ranks are the same in float and in double.
constexpr auto coarse = [](const position&, double random) {
    return std::round(16 * random) / 16;
};
constexpr values wide{.low = -2, .high = 2};

std::vector<row_shape> gating_shapes() {
    return {{1, 1, 5, 1},   {1, 1, 65, 8},   {1, 1, 33, 60},  {1, 1, 17, 128},
            {2, 1, 9, 257}, {1, 1, 3, 1000}, {1, 1, 2, 4097}, {1, 1, 1, 16385}};
}

int places(const row_shape& s, int k) {
    return static_cast<int>(std::min<index_t>(s.columns, k));
}

} // namespace

TEST(rows_top_k, experts_and_their_weights) {
    for (const auto weights : {top_k_weights::as_is, top_k_weights::renormalize})
        check_rows(
            [=](auto memory, const row_shape& s) {
                const int k = places(s, 8);
                auto x =
                    memory.template filled<half>({s.batches, s.rows, s.columns}, coarse, {}, wide);
                auto values = memory.template output<float>({s.batches, s.rows, index_t{k}});
                auto indices =
                    memory.template output<std::int32_t>({s.batches, s.rows, index_t{k}});
                return softmax(x) | top_k(k, values, indices, weights);
            },
            [](const row_shape& s) { return softmax_bound(s, 2); }, gating_shapes());
}

// A NaN makes its row NaN, and NaN ranks first: every column is chosen, in order.
TEST(rows_top_k, nan_in_the_first_column_and_every_column_chosen) {
    check_rows(
        [](auto memory, const row_shape& s) {
            const int k = places(s, 64);
            auto x = memory.template filled<half>(
                {s.batches, s.rows, s.columns},
                [](const position& at, double random) {
                    return at[3] == 0 && at[2] % 3 == 1 ? std::numeric_limits<double>::quiet_NaN()
                                                        : std::round(16 * random) / 16;
                },
                {}, wide);
            auto values = memory.template output<float>({s.batches, s.rows, index_t{k}});
            auto indices = memory.template output<std::int32_t>({s.batches, s.rows, index_t{k}});
            return softmax(x) | top_k(k, values, indices, top_k_weights::as_is);
        },
        [](const row_shape& s) { return softmax_bound(s, 2); },
        {{1, 1, 5, 1}, {1, 1, 7, 8}, {1, 1, 6, 33}, {1, 1, 4, 64}, {1, 1, 3, 257}});
}

TEST(rows_top_k, softmax_over_the_kept) {
    check_rows(
        [](auto memory, const row_shape& s) {
            const int k = places(s, 64);
            auto x = memory.template filled<bf16>({s.batches, s.rows, s.columns}, coarse, {}, wide);
            auto sums = memory.template output<float>({s.batches, s.rows});
            auto values = memory.template output<bf16>({s.batches, s.rows, index_t{k}});
            auto indices = memory.template output<std::int32_t>({s.batches, s.rows, index_t{k}});
            return log_softmax(x) | log_sum_exp_rows(sums) |
                   top_k(k, values, indices, top_k_weights::softmax);
        },
        [](const row_shape& s) {
            return row_bound{logarithm_bound(s, 2).absolute, softmax_bound(s, 16).relative};
        },
        gating_shapes());
}

// Rows without anything that counts give their first columns, with weights of 0.
TEST(rows_top_k, rows_that_keep_little) {
    check_rows(
        [](auto memory, const row_shape& s) {
            const int k = places(s, 5);
            auto x = memory.template filled<float>(
                {s.rows, s.columns},
                [&](const position& at, double random) {
                    return at[3] % 7 == 3 ? std::numeric_limits<double>::quiet_NaN()
                                          : std::round(16 * random) / 16;
                },
                {}, wide);
            auto kept = memory.template filled<std::uint8_t>(
                {s.rows, s.columns}, [](const position& at, double) {
                    return at[2] % 3 != 0 && at[3] % 7 != 3 && at[3] % 4 == at[2] % 4;
                });
            auto values = memory.template output<float>({s.rows, index_t{k}});
            auto indices = memory.template output<std::int32_t>({s.rows, index_t{k}});
            auto all = memory.template output<float>({s.rows, s.columns});
            return softmax(x | where(kept)) | tee(all) |
                   top_k(k, values, indices, top_k_weights::renormalize);
        },
        [](const row_shape& s) { return softmax_bound(s, 2); },
        {{1, 1, 6, 5}, {1, 1, 7, 31}, {1, 1, 6, 256}, {1, 1, 5, 1000}, {1, 1, 3, 4097}});
}

} // namespace r9v_test
