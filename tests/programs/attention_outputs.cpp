// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What stands before the scores, on them and behind the head: prologues of q, soft caps, functors,
// gates, quantised and transposed results, statistics.

#include "attention_test.hpp"

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

TEST(attention_outputs, gate_and_copy) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto gate = rows_input<half>(memory, c, c.heads(), c.queries, c.value_dim);
            auto copy = rows_output<float>(memory, c, c.heads(), c.queries, c.value_dim);
            return attention<64>(q, k, v, scale(c.scale())) | tee(copy) | mul(gate) | store(o);
        },
        random_attention_cases(8, {40, 64}));
}

TEST(attention_outputs, fp8) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, fp8_e4m3>(memory, c);
            auto step = memory.template filled<float>({c.heads()}, [](const position& at, double) {
                return 0.25 + 0.5 * static_cast<double>(at[3]);
            });
            return attention<64>(q, k, v, scale(c.scale())) | quantize(per_head(step)) | store(o);
        },
        random_attention_cases(6, {64}), {.gain = 4});
}

TEST(attention_outputs, int8_with_largest_magnitudes) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, std::int8_t>(memory, c);
            auto rows = log_sum_exp_output(memory, c);
            auto sums = log_sum_exp_output(memory, c);
            auto all = memory.template output<float>({1});
            return attention<64>(q, k, v, scale(c.scale())) | absmax_rows(rows) | absmax(all) |
                   sum_rows(sums) | quantize(0.01f) | store(o);
        },
        random_attention_cases(8, {64}), {.gain = 100});
}

TEST(attention_outputs, transposed_result) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const values range{c.low, c.high};
            auto q = rows_input<half>(memory, c, c.heads(), c.queries, c.dim, range);
            auto k = rows_input<half>(memory, c, c.key_heads, c.keys, c.dim, range);
            auto v = rows_input<half>(memory, c, c.key_heads, c.keys, c.value_dim);
            auto o = memory.template output<float>({c.batch, c.heads(), c.value_dim, c.queries});
            return attention<64>(q, k, v, scale(c.scale())) | store(transposed(o));
        },
        random_attention_cases(6, {40, 64}));
}

/// Scores fall with the distance, and rise for one head.
struct relative_position {
    float slope;
    R9V_HD float operator()(float x, const coordinate& at) const {
        const auto away = static_cast<float>(at.query() - at.key());
        return x - slope * away * (at.head() == 1 ? -1.0f : 1.0f) +
               0.25f * static_cast<float>(at.batch());
    }
};

TEST(attention_outputs, soft_cap_functor_and_sink) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto sinks = memory.template input<float>({c.heads()}, {}, {-3, 5});
            auto lse = log_sum_exp_output(memory, c);
            return attention<64>(q, k, v,
                                 scale(c.scale()) | soft_cap(0.75f) |
                                     map(relative_position{0.01f}) | sink(per_head(sinks)) |
                                     causal(c.side)) |
                   log_sum_exp_rows(lse) | store(o);
        },
        random_attention_cases(12, {64}), {.value = 1.5, .logit_gain = 4});
}

// Operands of scores follow queries and keys, and end where those do.
TEST(attention_outputs, operands_of_scores) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto of_queries = memory.template input<float>({c.batch, c.heads(), c.queries});
            auto of_keys = memory.template input<half>({c.batch, c.keys});
            auto of_scores = memory.template input<half>({c.batch, c.heads(), c.queries, c.keys},
                                                         {1, c.padding});
            auto lse = log_sum_exp_output(memory, c);
            return attention<64>(q, k, v,
                                 scale(c.scale()) | scale(per_row(of_queries)) | add(of_scores) |
                                     scale(per_column(of_keys))) |
                   log_sum_exp_rows(lse) | store(o);
        },
        random_attention_cases(10, {40, 64}, 1e6));
}

// The scale is a tensor's, one for each head, and some are negative.
TEST(attention_outputs, scales_of_heads_and_prologue_of_queries) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto factors = memory.template input<float>({c.heads()});
            auto columns = memory.template input<half>({c.dim});
            auto added = rows_input<half>(memory, c, c.heads(), c.queries, c.dim);
            auto lse = log_sum_exp_output(memory, c);
            return attention<64>(q | scale(per_column(columns)) | add(added) | r9v::tanh(), k, v,
                                 scale(per_head(factors)) | scale(c.scale())) |
                   log_sum_exp_rows(lse) | store(o);
        },
        random_attention_cases(12, {16, 64}), {.rounds_query = true});
}

} // namespace

} // namespace r9v_test
