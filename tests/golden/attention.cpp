// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention programs through r9v::reference against the golden values. All inputs are exact in half
// and bf16, results are floats.
#include <r9v/attention.hpp>

#include <algorithm>
#include <tests/golden/golden.hpp>

namespace {

using namespace r9v_test;
using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

constexpr index_t batches = 2;
constexpr index_t heads = 4;
constexpr index_t key_heads = 2;
constexpr index_t queries = 3;
constexpr index_t keys = 7;
constexpr index_t dim = 16;
constexpr index_t value_dim = 8;

const golden_file& file() {
    static const golden_file values{"attention.txt"};
    return values;
}

template<class T>
std::vector<T> values(const std::string& name) {
    std::vector<T> made;
    for (const double value : file()[name])
        made.push_back(from_double<T>(value));
    return made;
}

/// A result and its log-sum-exp, compared with the golden values of a name.
struct result {
    index_t rows;
    index_t sequences;
    std::vector<float> o_values;
    std::vector<float> lse_values;
    host_tensor<float, 4> o;
    host_tensor<float, 3> lse;

    explicit result(index_t of_rows, index_t of_sequences = batches)
        : rows{of_rows},
          sequences{of_sequences},
          o_values(static_cast<std::size_t>(sequences * heads * rows * value_dim)),
          lse_values(static_cast<std::size_t>(sequences * heads * rows)),
          o{o_values.data(), {sequences, heads, rows, value_dim}},
          lse{lse_values.data(), {sequences, heads, rows}} {}

    void expect(const std::string& name) const {
        const auto& wanted = file()[name + ".o"];
        const auto& wanted_lse = file()[name + ".lse"];
        ASSERT_EQ(wanted.size(), o_values.size()) << name;
        ASSERT_EQ(wanted_lse.size(), lse_values.size()) << name;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            expect_golden(name + ".o", i, static_cast<double>(o_values[i]), wanted[i], 1e-6, 1e-7);
        for (std::size_t i = 0; i < wanted_lse.size(); ++i)
            expect_golden(name + ".lse", i, static_cast<double>(lse_values[i]), wanted_lse[i], 1e-6,
                          1e-7);
    }
};

template<class T>
class golden_attention : public ::testing::Test {
protected:
    std::vector<T> q_values = values<T>("q");
    std::vector<T> k_values = values<T>("k");
    std::vector<T> v_values = values<T>("v");
    std::vector<float> bias_values = values<float>("bias");
    std::vector<std::uint8_t> where_values = values<std::uint8_t>("where");
    std::vector<float> slope_values = values<float>("slopes");
    std::vector<float> sink_values = values<float>("sinks");
    std::vector<std::int32_t> length_values{5, 0};

    host_tensor<const T, 4> q{q_values.data(), {batches, heads, queries, dim}};
    host_tensor<const T, 4> k{k_values.data(), {batches, key_heads, keys, dim}};
    host_tensor<const T, 4> v{v_values.data(), {batches, key_heads, keys, value_dim}};
    host_tensor<const float, 4> bias{bias_values.data(), {batches, heads, queries, keys}};
    host_tensor<const std::uint8_t, 2> kept{where_values.data(), {queries, keys}};
    host_tensor<const float, 1> slopes{slope_values.data(), {heads}};
    host_tensor<const float, 1> sinks{sink_values.data(), {heads}};
    host_tensor<const std::int32_t, 1> lengths{length_values.data(), {batches}};

    template<class Scores>
    void expect(const std::string& name, const Scores& scores) {
        SCOPED_TRACE(name);
        result r{queries};
        launch(reference,
               attention<dim, value_dim>(q, k, v, scores) | log_sum_exp_rows(r.lse) | store(r.o));
        r.expect(name);
    }

    /// The first `rows` rows of each head, twice over where there are fewer.
    std::vector<T> tiled(const std::vector<T>& from, index_t of_heads, index_t had, index_t width,
                         index_t rows) {
        std::vector<T> to;
        for (index_t head = 0; head < batches * of_heads; ++head)
            for (index_t row = 0; row < rows; ++row)
                for (index_t d = 0; d < width; ++d)
                    to.push_back(
                        from[static_cast<std::size_t>((head * had + row % had) * width + d)]);
        return to;
    }
};

using elements = ::testing::Types<half, bf16>;
TYPED_TEST_SUITE(golden_attention, elements);

TYPED_TEST(golden_attention, masks_alone) {
    const float s = 0.25f;
    this->expect("plain", scale(s));
    this->expect("top_left", scale(s) | causal(top_left));
    this->expect("bottom_right", scale(s) | causal(bottom_right));
    this->expect("window", scale(s) | window(2, 1));
    this->expect("sliding", scale(s) | window(3));
    this->expect("prefix", scale(s) | prefix(this->lengths));
    this->expect("add_mask", scale(s) | add_mask(this->bias));
    this->expect("where", scale(s) | where(this->kept));
    this->expect("keep_if", scale(s) | keep_if([](index_t, index_t, index_t query, index_t key) {
                                return (query + 2 * key) % 3 != 1;
                            }));
}

TYPED_TEST(golden_attention, scores) {
    const float s = 0.25f;
    this->expect("alibi", scale(s) | alibi(this->slopes));
    this->expect("soft_cap", scale(s) | soft_cap(1.5f));
    this->expect("sink", scale(s) | where(this->kept) | sink(per_head(this->sinks)));
    this->expect("negative_scale", scale(-0.5f) | causal(bottom_right));
}

TYPED_TEST(golden_attention, everything_together) {
    this->expect("all", scale(0.25f) | soft_cap(4.0f) | alibi(this->slopes) | causal(bottom_right) |
                            window(4, -1) | prefix(this->lengths) | where(this->kept) |
                            add_mask(this->bias) | sink(per_head(this->sinks)));
}

TYPED_TEST(golden_attention, large_scores) {
    for (auto* values : {&this->q_values, &this->k_values})
        for (auto& x : *values)
            x = from_double<TypeParam>(to_double(x) * (values == &this->q_values ? 16 : 32));
    this->expect("large", scale(30.0f) | causal(top_left));
}

TYPED_TEST(golden_attention, few_of_either) {
    for (const auto& [few_queries, few_keys] : {std::pair<index_t, index_t>{2, 5}, {5, 2}}) {
        const auto few_q = this->tiled(this->q_values, heads, queries, dim, few_queries);
        const auto few_k = this->tiled(this->k_values, key_heads, keys, dim, few_keys);
        const auto few_v = this->tiled(this->v_values, key_heads, keys, value_dim, few_keys);
        for (const corner side : {top_left, bottom_right}) {
            result r{few_queries};
            launch(reference,
                   attention(host_tensor{few_q.data(), {batches, heads, few_queries, dim}},
                             host_tensor{few_k.data(), {batches, key_heads, few_keys, dim}},
                             host_tensor{few_v.data(), {batches, key_heads, few_keys, value_dim}},
                             scale(0.25f) | causal(side)) |
                       log_sum_exp_rows(r.lse) | store(r.o));
            r.expect(std::to_string(few_queries) + "_of_" + std::to_string(few_keys) +
                     (side == top_left ? ".top_left" : ".bottom_right"));
        }
    }
}

/// Sequences of 3 queries with 5 keys and 1 with 7, in every form.
template<class T>
struct sequences {
    std::vector<std::int32_t> key_lengths{5, 7};
    std::vector<std::int32_t> query_offsets{0, 3, 4};
    std::vector<std::int32_t> key_offsets{0, 5, 12};

    /// Row `row` of sequence `batch` out of a dense tensor.
    static T at(const std::vector<T>& from, index_t of_heads, index_t rows, index_t width,
                index_t batch, index_t head, index_t row, index_t d) {
        return from[static_cast<std::size_t>(((batch * of_heads + head) * rows + row) * width + d)];
    }
    static std::vector<T> pack(const std::vector<T>& from, index_t of_heads, index_t rows,
                               index_t width, const std::vector<std::int32_t>& offsets) {
        std::vector<T> to;
        for (index_t head = 0; head < of_heads; ++head)
            for (index_t batch = 0; batch < batches; ++batch)
                for (index_t row = 0; row < offsets[static_cast<std::size_t>(batch + 1)] -
                                                offsets[static_cast<std::size_t>(batch)];
                     ++row)
                    for (index_t d = 0; d < width; ++d)
                        to.push_back(at(from, of_heads, rows, width, batch, head, row, d));
        return to;
    }
    /// Pages of 3 rows in mixed order.
    static std::vector<T> paged(const std::vector<T>& from, index_t of_heads, index_t width,
                                const std::vector<std::int32_t>& table) {
        std::vector<T> to(static_cast<std::size_t>(6 * of_heads * 3 * width));
        for (index_t batch = 0; batch < batches; ++batch)
            for (index_t head = 0; head < of_heads; ++head)
                for (index_t row = 0; row < keys; ++row)
                    for (index_t d = 0; d < width; ++d) {
                        const index_t page = table[static_cast<std::size_t>(batch * 3 + row / 3)];
                        to[static_cast<std::size_t>(
                            ((page * of_heads + head) * 3 + row % 3) * width + d)] =
                            at(from, of_heads, keys, width, batch, head, row, d);
                    }
        return to;
    }
};

TYPED_TEST(golden_attention, packed_sequences) {
    using pack = sequences<TypeParam>;
    const pack s;
    const auto packed_q = pack::pack(this->q_values, heads, queries, dim, s.query_offsets);
    const auto packed_k = pack::pack(this->k_values, key_heads, keys, dim, s.key_offsets);
    const auto packed_v = pack::pack(this->v_values, key_heads, keys, value_dim, s.key_offsets);
    const host_tensor query_offsets{s.query_offsets.data(), {3}};
    const host_tensor key_offsets{s.key_offsets.data(), {3}};
    result all{4, 1};
    launch(
        reference,
        attention(packed(host_tensor{packed_q.data(), {heads, 4, dim}}, query_offsets, 3),
                  packed(host_tensor{packed_k.data(), {key_heads, 12, dim}}, key_offsets, 7),
                  packed(host_tensor{packed_v.data(), {key_heads, 12, value_dim}}, key_offsets, 7),
                  scale(0.25f) | causal(bottom_right)) |
            log_sum_exp_rows(all.lse) | store(all.o));
    for (const index_t batch : {0, 1}) {
        const index_t rows = batch == 0 ? 3 : 1;
        result one{rows, 1};
        for (index_t head = 0; head < heads; ++head)
            for (index_t row = 0; row < rows; ++row) {
                one.lse(0, head, row) = all.lse(0, head, batch * 3 + row);
                for (index_t d = 0; d < value_dim; ++d)
                    one.o(0, head, row, d) = all.o(0, head, batch * 3 + row, d);
            }
        one.expect("sequence" + std::to_string(batch));
    }
}

TYPED_TEST(golden_attention, sequences_with_lengths_and_in_pages) {
    using form = sequences<TypeParam>;
    const form s;
    const host_tensor key_lengths{s.key_lengths.data(), {batches}};
    const std::vector<std::int32_t> table_values{4, 0, 3, 1, 5, 2};
    const host_tensor table{table_values.data(), {batches, 3}};
    const auto k_pages = form::paged(this->k_values, key_heads, dim, table_values);
    const auto v_pages = form::paged(this->v_values, key_heads, value_dim, table_values);
    const auto scores = scale(0.25f) | causal(bottom_right);
    const auto expect_first = [&](const result& all) {
        result one{queries, 1};
        std::copy_n(all.o_values.begin(), one.o_values.size(), one.o_values.begin());
        std::copy_n(all.lse_values.begin(), one.lse_values.size(), one.lse_values.begin());
        one.expect("sequence0");
    };
    result limited{queries};
    launch(reference, attention(this->q, with_lengths(this->k, key_lengths),
                                with_lengths(this->v, key_lengths), scores) |
                          log_sum_exp_rows(limited.lse) | store(limited.o));
    expect_first(limited);
    result in_pages{queries};
    launch(reference,
           attention(
               this->q,
               paged(host_tensor{k_pages.data(), {6, key_heads, 3, dim}}, table, key_lengths),
               paged(host_tensor{v_pages.data(), {6, key_heads, 3, value_dim}}, table, key_lengths),
               scores) |
               log_sum_exp_rows(in_pages.lse) | store(in_pages.o));
    expect_first(in_pages);
    EXPECT_EQ(limited.o_values, in_pages.o_values);
}

} // namespace
