// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention over plain tensors: every head dim, both orders of rows and heads, every ratio of query
// to key heads, each tile in turn.

#include "attention_test.hpp"

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

/// Nothing but a scale, for kernels of the given dims.
template<class T, int Dim, int ValueDim = Dim>
forced_runs check_dims(const std::vector<attention_case>& cases) {
    return check_attention<T>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<T, T>(memory, c);
            auto lse = log_sum_exp_output(memory, c);
            return attention<Dim, ValueDim>(q, k, v, scale(c.scale())) | log_sum_exp_rows(lse) |
                   store(o);
        },
        cases);
}

TEST(attention_dense, dims_up_to_64) {
    const forced_runs runs = check_dims<half, 64>(random_attention_cases(24, {16, 40, 64}));
    EXPECT_GT(runs.prefill, 20);
    EXPECT_GT(runs.decode, 20);
}

TEST(attention_dense, dims_up_to_80) {
    check_dims<half, 80>(random_attention_cases(8, {72, 80}));
}

TEST(attention_dense, dims_up_to_96) {
    check_dims<half, 96>(random_attention_cases(8, {96, 88}));
}

TEST(attention_dense, dims_up_to_128) {
    check_dims<half, 128>(random_attention_cases(16, {112, 128}));
}

TEST(attention_dense, dims_up_to_160) {
    check_dims<half, 160>(random_attention_cases(6, {160}));
}

TEST(attention_dense, dims_up_to_256) {
    check_dims<half, 256>(random_attention_cases(12, {192, 224, 256}));
}

TEST(attention_dense, values_narrower_than_keys) {
    auto cases = random_attention_cases(6, {192});
    for (attention_case& c : cases)
        c.value_dim = 128;
    check_dims<half, 192, 128>(cases);
}

} // namespace

} // namespace r9v_test
