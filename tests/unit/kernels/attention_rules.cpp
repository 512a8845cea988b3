// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What an attention program is refused for before anything runs, through the reference: the checks
// are the same on a stream.
#include <r9v/attention.hpp>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

class attention_rules : public ::testing::Test {
protected:
    static constexpr index_t batch = 2;
    static constexpr index_t heads = 4;
    static constexpr index_t key_heads = 2;
    static constexpr index_t queries = 3;
    static constexpr index_t keys = 5;
    static constexpr index_t dim = 16;

    std::vector<half> q_values = std::vector<half>(4096);
    std::vector<half> k_values = std::vector<half>(4096);
    std::vector<half> v_values = std::vector<half>(4096);
    std::vector<half> pattern = std::vector<half>(4096, from_float<half>(7.0f));
    std::vector<float> floats = std::vector<float>(4096);
    std::vector<std::int32_t> numbers = std::vector<std::int32_t>(64, 1);

    host_tensor<half, 4> q{q_values.data(), {batch, heads, queries, dim}};
    host_tensor<half, 4> k{k_values.data(), {batch, key_heads, keys, dim}};
    host_tensor<half, 4> v{v_values.data(), {batch, key_heads, keys, dim}};
    host_tensor<half, 4> o{pattern.data(), {batch, heads, queries, dim}};
    host_tensor<std::int32_t, 1> lengths{numbers.data(), {batch}};

    /// `p` is refused with a text that holds `part` and a hint, and o stays as it was.
    template<class Program>
    void expect_refused(const Program& p, const std::string& part) {
        const status outcome = try_launch(reference, p);
        ASSERT_FALSE(outcome.ok()) << part;
        const std::string text = outcome.what();
        EXPECT_EQ(text.rfind("r9v: ", 0), 0u) << text;
        EXPECT_NE(text.find(part), std::string::npos) << text;
        EXPECT_EQ(text.back(), '.') << text;
        EXPECT_LT(text.size(), 380u) << text; // whole, not cut
        for (const half value : pattern)
            ASSERT_EQ(to_float(value), 7.0f);
    }
    template<class T>
    static host_tensor<T, 4> with(host_tensor<T, 4> t, int axis, index_t extent) {
        t.extents[axis] = extent;
        return t;
    }
};

TEST_F(attention_rules, head_dims) {
    expect_refused(attention(with(q, 3, 12), with(k, 3, 12), v) | store(o),
                   "q has rows of 12 elements. Head dims are multiples of 8");
    expect_refused(attention(q, k, with(v, 3, 12)) | store(with(o, 3, 12)),
                   "v has rows of 12 elements. Head dims are multiples of 8");
    expect_refused(attention(with(q, 3, 0), with(k, 3, 0), v) | store(o),
                   "q has rows of 0 elements. Head dims are multiples of 8 from 8 on");
    expect_refused(attention(q, k, with(v, 3, 0)) | store(with(o, 3, 0)),
                   "v has rows of 0 elements");
    expect_refused(attention(q, with(k, 3, 8), v) | store(o),
                   "q has rows of 16 elements but k has rows of 8");
    expect_refused(attention<8, 16>(q, k, v) | store(o),
                   "q has rows of 16 elements but the program is built for 8. Name the largest "
                   "dim, as in attention<16>");
    expect_refused(attention<16, 8>(q, k, v) | store(o), "v has rows of 16 elements");
}

TEST_F(attention_rules, head_counts) {
    expect_refused(attention(with(q, 1, 3), k, v) | store(with(o, 1, 3)),
                   "q has 3 heads, which is no multiple of the 2 heads of k");
    expect_refused(attention(q, k, with(v, 1, 1)) | store(o), "k has 2 heads but v has 1");
}

TEST_F(attention_rules, sequences_and_rows) {
    expect_refused(attention(q, with(k, 0, 1), with(v, 0, 1)) | store(o),
                   "q has 2 sequences, k has 1 and v has 1");
    expect_refused(attention(q, k, with(v, 2, 4)) | store(o), "k has up to 5 rows but v has 4");
    host_tensor<half, 4> long_k = with(k, 2, index_t{1} << 33);
    long_k.strides[0] = long_k.strides[1] = index_t{1} << 40;
    expect_refused(attention(q, long_k, long_k) | store(o), "a sequence has up to 8589934592 rows");
}

TEST_F(attention_rules, lengths_offsets_and_tables) {
    const host_tensor<std::int32_t, 1> three{numbers.data(), {3}};
    expect_refused(attention(q, with_lengths(k, three), with_lengths(v, three)) | store(o),
                   "k has 2 sequences but 3 lengths");
    const host_tensor<std::int32_t, 1> others{numbers.data() + 8, {batch}};
    expect_refused(attention(q, with_lengths(k, lengths), with_lengths(v, others)) | store(o),
                   "k and v name different lengths");
    const host_tensor<std::int32_t, 2> table{numbers.data(), {batch, 2}};
    expect_refused(attention(q, paged(k, table, three), paged(v, table, three)) | store(o),
                   "the block table of k has 2 sequences but there are 3 lengths");
    expect_refused(attention(q, paged(k, table, lengths), paged(with(v, 2, 4), table, lengths)) |
                       store(o),
                   "k has up to 10 rows but v has 8");
    expect_refused(
        attention(q, paged(with(k, 2, 0), table, lengths), paged(with(v, 2, 0), table, lengths)) |
            store(o),
        "pages of k have 0 rows");
    const host_tensor<std::int32_t, 1> none{numbers.data(), {0}};
    const host_tensor<half, 3> flat{k_values.data(), {key_heads, 10, dim}};
    expect_refused(attention(q, packed(flat, none, 5), packed(flat, none, 5)) | store(o),
                   "the offsets of k are empty");
    expect_refused(attention(q, packed(flat, three, -1), packed(flat, three, -1)) | store(o),
                   "the longest sequence of k has -1 rows");
}

TEST_F(attention_rules, operands_and_results) {
    const host_tensor<float, 1> slopes{floats.data(), {heads - 1}};
    expect_refused(attention(q, k, v, alibi(slopes)) | store(o), "alibi has 3 heads");
    const host_tensor<float, 4> bias{floats.data(), {batch, heads, queries, keys + 1}};
    expect_refused(attention(q, k, v, add_mask(bias)) | store(o), "add_mask has 6 columns");
    const host_tensor<float, 3> lse{floats.data(), {batch, heads, queries + 1}};
    expect_refused(attention(q, k, v) | log_sum_exp_rows(lse) | store(o),
                   "log_sum_exp_rows has 4 rows");
    expect_refused(attention(q, k, v) | store(with(o, 2, 2)), "store has 2 rows");
    const host_tensor<half, 3> no_heads{pattern.data(), {batch, queries, dim}};
    expect_refused(attention(q, k, v) | store(no_heads), "store has no head axis");
    expect_refused(
        attention(q | scale(per_column(host_tensor<float, 1>{floats.data(), {8}})), k, v) |
            store(o),
        "scale has 8 columns");
}

TEST_F(attention_rules, memory) {
    const host_tensor<half, 4> over{v_values.data(), {batch, heads, queries, dim}};
    expect_refused(attention(q, k, v) | store(over), "store overlaps v");
    expect_refused(attention(q, k, v) | store(q), "store overlaps q");
    expect_refused(attention(host_tensor<half, 4>{nullptr, {batch, heads, queries, dim}}, k, v) |
                       store(o),
                   "q has null data");
    host_tensor<half, 4> strided = k;
    strided.strides[3] = 2;
    expect_refused(attention(q, strided, v) | store(o), "declared row_major");
}

// v may be a view of k, as in latent attention.
TEST_F(attention_rules, values_inside_keys) {
    const status outcome =
        try_launch(reference, attention(q, k, slice(k, 3, 0, 8)) | store(slice(o, 3, 0, 8)));
    EXPECT_TRUE(outcome.ok()) << outcome.what();
}

} // namespace
