// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention over plain tensors: every head dim, both orders of rows and heads, every ratio of query
// to key heads, each tile in turn.

#include "attention_test.hpp"
#include <set>

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

/// Half of the usual queries, for launches that ask for it.
constexpr attention_tile small_tile{.queries = 64, .keys = 32, .waves = 4};

/// Nothing but a scale, for kernels of the given dims.
template<class T, int Dim, int ValueDim = Dim, auto... More>
forced_runs check_dims(const std::vector<attention_case>& cases) {
    return check_attention<T, More...>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<T, T>(memory, c);
            auto lse = log_sum_exp_output(memory, c);
            return attention<Dim, ValueDim>(q, k, v, scale(c.scale())) | log_sum_exp_rows(lse) |
                   store(o);
        },
        cases);
}

/// The cases of each test.
struct case_set {
    const char* name;
    std::size_t count;
    std::vector<index_t> dims;

    [[nodiscard]] std::vector<attention_case> cases() const {
        return random_attention_cases(name, count, dims);
    }
};
const case_set up_to_64{"up_to_64", 24, {16, 40, 64}};
const case_set up_to_80{"up_to_80", 8, {72, 80}};
const case_set up_to_96{"up_to_96", 8, {96, 88}};
const case_set up_to_128{"up_to_128", 16, {112, 128}};
const case_set up_to_160{"up_to_160", 6, {160}};
const case_set up_to_256{"up_to_256", 12, {192, 224, 256}};

TEST(attention_dense, dims_up_to_64) {
    auto cases = up_to_64.cases();
    attention_case tall; // keys of many splits
    tall.ratio = 4;
    tall.queries = 2;
    tall.keys = 6000;
    cases.push_back(tall);
    for (const index_t ratio : {1, 3, 7})
        cases.push_back(crowded_case(1, 300 + ratio, ratio));
    const forced_runs runs = check_dims<half, 64, 64, small_tile>(cases);
    EXPECT_GT(runs.prefill, 12);
    EXPECT_GT(runs.decode, 20);
    EXPECT_GT(runs.refused, 0); // rows that are not aligned
}

TEST(attention_dense, dims_up_to_80) {
    check_dims<half, 80>(up_to_80.cases());
}

TEST(attention_dense, dims_up_to_96) {
    check_dims<half, 96>(up_to_96.cases());
}

TEST(attention_dense, dims_up_to_128) {
    check_dims<half, 128, 128, small_tile>(up_to_128.cases());
}

TEST(attention_dense, dims_up_to_160) {
    check_dims<half, 160>(up_to_160.cases());
}

TEST(attention_dense, dims_up_to_256) {
    check_dims<half, 256>(up_to_256.cases());
}

TEST(attention_dense, values_narrower_than_keys) {
    auto cases = random_attention_cases(6, {192});
    for (attention_case& c : cases)
        c.value_dim = 128;
    check_dims<half, 192, 128>(cases);
}

/// The same rows from the last to the first.
template<class View>
View backwards(View rows) {
    rows.data += (rows.extents[2] - 1) * rows.strides[2];
    rows.strides[2] = -rows.strides[2];
    return rows;
}

TEST(attention_dense, keys_and_values_backwards) {
    const forced_runs runs = check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const auto [q, k, v, o] = dense_inputs<half, half>(memory, c);
            auto lse = log_sum_exp_output(memory, c);
            return attention<64>(q, backwards(k), backwards(v), scale(c.scale())) |
                   log_sum_exp_rows(lse) | store(o);
        },
        random_attention_cases(6, {16, 64}));
    EXPECT_EQ(runs.prefill, 0);
}

TEST(attention_dense, cases_cover_every_count) {
    std::set<index_t> queries;
    std::set<index_t> keys;
    std::set<index_t> dims;
    std::set<index_t> of_heads;
    for (const case_set* set :
         {&up_to_64, &up_to_80, &up_to_96, &up_to_128, &up_to_160, &up_to_256}) {
        for (const attention_case& c : set->cases()) {
            queries.insert(c.queries);
            keys.insert(c.keys);
            dims.insert(c.dim);
            of_heads.insert(c.ratio);
        }
    }
    for (const index_t count : row_counts) {
        EXPECT_EQ(queries.count(count), 1u) << count << " queries";
        EXPECT_EQ(keys.count(count), 1u) << count << " keys";
    }
    for (const index_t ratio : ratios)
        EXPECT_EQ(of_heads.count(ratio), 1u) << "ratio " << ratio;
    for (const index_t dim : {16, 40, 64, 72, 80, 96, 112, 128, 160, 192, 224, 256})
        EXPECT_EQ(dims.count(dim), 1u) << "dim " << dim;
}

} // namespace

} // namespace r9v_test
