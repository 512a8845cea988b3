// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Softmax over masked scores: rows are queries, columns keys. Heads and batches, every kind of
// mask, sinks, a temperature for each row, row statistics, results over their source.

#include "rows_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

constexpr values wide{.low = -8, .high = 8};

/// Batches and heads of matrices, some wider than high and some the other way.
std::vector<row_shape> score_shapes() {
    return {{2, 3, 1, 1},    {1, 2, 5, 2},    {1, 3, 2, 5},    {2, 2, 31, 33},
            {3, 1, 33, 31},  {1, 2, 64, 64},  {2, 1, 17, 127}, {1, 2, 64, 128},
            {1, 1, 3, 1000}, {1, 2, 3, 4097}, {1, 1, 2, 16385}};
}

row_bound plain(const row_shape& s) {
    return softmax_bound(s, 16, 4);
}

struct same_third {
    R9V_HD bool operator()(index_t batch, index_t head, index_t query, index_t key) const {
        return (batch + head + query) % 3 == key % 3;
    }
};

} // namespace

TEST(rows_masks, causal_and_window) {
    for (const corner side : {top_left, bottom_right})
        for (const index_t left : {index_t{-1}, index_t{0}, index_t{20}})
            check_rows(
                [=](auto memory, const row_shape& s) {
                    auto x = memory.template input<half>({s.batches, s.heads, s.rows, s.columns},
                                                         {}, wide);
                    auto y = memory.template output<half>({s.batches, s.heads, s.rows, s.columns},
                                                          {.padding = 2});
                    return softmax(x | scale(0.25f) | causal(side) | window(left, 7)) | store(y);
                },
                plain, score_shapes());
}

// NaN where nothing is kept must not matter, and logits of -60000 beside it must count.
TEST(rows_masks, nan_outside_a_mask_never_leaks) {
    for (const corner side : {top_left, bottom_right})
        check_rows(
            [=](auto memory, const row_shape& s) {
                auto x = memory.template filled<half>(
                    {s.batches, s.heads, s.rows, s.columns},
                    [=](const position& at, double random) {
                        const index_t from = side == top_left ? 0 : s.columns - s.rows;
                        const bool kept = at[3] <= at[2] + from && at[3] >= at[2] + from - 20 &&
                                          at[3] <= at[2] + from + 7;
                        if (!kept) return std::numeric_limits<double>::quiet_NaN();
                        return at[2] % 2 == 0 ? -60000.0 : random;
                    },
                    {}, wide);
                auto y = memory.template output<half>({s.batches, s.heads, s.rows, s.columns},
                                                      {.padding = 2});
                return softmax(x | scale(0.25f) | causal(side) | window(20, 7)) | store(y);
            },
            [](const row_shape& s) { return softmax_bound(s, 16000, 4); }, score_shapes());
}

TEST(rows_masks, prefix_bias_and_functor_with_statistics) {
    check_rows(
        [](auto memory, const row_shape& s) {
            std::vector<std::int32_t> numbers;
            for (index_t b = 0; b < s.batches; ++b)
                numbers.push_back(static_cast<std::int32_t>(b == 1 ? 0 : s.columns * 2 / 3 + b));
            auto x =
                memory.template input<float>({s.batches, s.heads, s.rows, s.columns}, {}, wide);
            auto lengths = memory.indices({s.batches}, numbers);
            auto bias = memory.template filled<float>(
                {s.batches, s.heads, s.rows, s.columns}, [](const position& at, double random) {
                    return at[3] % 5 == 4 ? -std::numeric_limits<double>::infinity() : random;
                });
            auto sums = memory.template output<float>({s.batches, s.heads, s.rows});
            auto largest = memory.template output<float>({s.batches, s.heads, s.rows});
            auto y = memory.template output<float>({s.batches, s.heads, s.rows, s.columns});
            return softmax(x | add_mask(bias) | prefix(lengths) | keep_if(same_third{})) |
                   log_sum_exp_rows(sums) | max_rows(largest) | store(y);
        },
        [](const row_shape& s) {
            return row_bound{logarithm_bound(s, 16, 4).absolute, plain(s).relative};
        },
        score_shapes());
}

TEST(rows_masks, sinks_and_temperatures) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<bf16>({s.batches, s.heads, s.rows, s.columns}, {}, wide);
            auto t = memory.template input<float>({s.rows}, {}, {.low = 0.5, .high = 2});
            auto sinks = memory.template filled<float>({s.heads}, [](const position& at, double) {
                return at[3] == 1 ? -std::numeric_limits<double>::infinity() : 2.0;
            });
            auto sums = memory.template output<float>({s.batches, s.heads, s.rows});
            auto y = memory.template output<float>({s.batches, s.heads, s.rows, s.columns});
            return softmax(x | temperature(per_row(t)) | window(0, 40) | sink(per_head(sinks))) |
                   log_sum_exp_rows(sums) | store(y);
        },
        [](const row_shape& s) {
            return row_bound{logarithm_bound(s, 16, 4).absolute, plain(s).relative};
        },
        score_shapes());
}

TEST(rows_masks, log_sum_exp_of_masked_scores) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x =
                memory.template input<float>({s.batches, s.heads, s.rows, s.columns}, {}, wide);
            auto kept = memory.template filled<std::uint8_t>(
                {s.batches, index_t{1}, s.rows, s.columns},
                [](const position& at, double) { return at[2] % 4 != 1 && at[3] % 3 != 1; });
            auto y = memory.template output<float>({s.batches, s.heads, s.rows, index_t{1}});
            return log_sum_exp(x | where(kept) | causal(bottom_right) | sink(-3.0f)) | store(y);
        },
        [](const row_shape& s) { return logarithm_bound(s, 8, 2); }, score_shapes());
}

// A long chain behind the head, and results over what the prologue read.
TEST(rows_masks, long_chain_in_place) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template in_place<float>({s.batches, s.heads, s.rows, s.columns});
            auto r = memory.template input<half>({s.batches, s.heads, s.rows, s.columns});
            return log_softmax(x | residual(r) | silu()) | scale(0.25f) | tanh() | mul(r) |
                   softplus() | clamp(-1.5f, 2.5f) | residual(r) | gelu() | scale(2.0f) |
                   sigmoid() | store(x);
        },
        [](const row_shape& s) {
            const row_bound bound = logarithm_bound(s, 2, 4);
            return row_bound{4 * bound.absolute + 64 * unit, 0};
        },
        score_shapes());
}

} // namespace r9v_test
