// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How score ops are split for kernels, where rows of each form stand, and which tile a shape gets.
#include <r9v/attention.hpp>

#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

template<class Scores>
constexpr scores_traits traits(const Scores&) {
    return scores_traits_of<Scores>;
}

TEST(attention_scores, leading_scales_are_those_of_a_whole_head) {
    std::vector<float> factors{2, 3, 5};
    const host_tensor<float, 1> per{factors.data(), {3}};
    const host_tensor<float, 1> one{factors.data(), {1}};
    EXPECT_EQ(traits(chain<>{}), scores_traits{});
    EXPECT_EQ(traits(scale(2.0f) | scale(3.0f)), (scores_traits{.leading_scales = 2}));
    EXPECT_EQ(traits(scale(per_head(per)) | scale(per_tensor(one))),
              (scores_traits{.leading_scales = 2}));
    EXPECT_EQ(traits(scale(per_row(per)) | scale(2.0f)), (scores_traits{.has_general = true}));
    EXPECT_EQ(traits(scale(2.0f) | soft_cap(3.0f) | scale(2.0f)),
              (scores_traits{.leading_scales = 1, .has_general = true}));
    EXPECT_EQ(traits(scale(2.0f) | causal(top_left) | sink(1.0f)),
              (scores_traits{.leading_scales = 1, .has_masks = true, .has_sink = true}));
    EXPECT_EQ(traits(soft_cap(1.0f) | sink(1.0f)),
              (scores_traits{.has_general = true, .has_sink = true}));

    const auto scores = scale(per_head(per)) | scale(7.0f) | soft_cap(1.0f);
    EXPECT_EQ(leading_scale(reference_math{}, scores, coordinate{.head_base = 1}), 21.0);
}

// The parts, one after the other, are the whole.
TEST(attention_scores, parts_make_the_whole) {
    const auto scores = scale(0.5f) | soft_cap(4.0f) | map([](float x) { return x + 1; }) |
                        causal(top_left) | sink(2.0f) | window(1, 0, top_left);
    constexpr reference_math math{};
    for (index_t query = 0; query < 4; ++query)
        for (index_t key = 0; key < 4; ++key) {
            const coordinate at{.row_base = query, .column_base = key};
            const run<double, 2> x{{3.0, -5.0}};
            run<double, 2> scaled = x;
            for (double& value : scaled)
                value *= leading_scale(math, scores, at);
            const auto parts =
                masked_scores(math, scores, at, general_scores(math, scores, at, scaled));
            const auto whole = transform(math, scores, at, x);
            EXPECT_EQ(parts[0], whole[0]) << query << ' ' << key;
            EXPECT_EQ(parts[1], whole[1]) << query << ' ' << key;
        }
}

TEST(attention_forms, rows_of_every_form) {
    std::vector<half> values(4096);
    const auto at = [&](const auto& rows, index_t row) {
        return rows.first + rows.offset(row) - values.data();
    };
    const host_tensor<half, 4> t{values.data(), {2, 3, 5, 8}};
    const dense_sequences<detail::read_only<host_tensor<half, 4>>> dense{heads_first(t)};
    EXPECT_EQ(dense.heads(), 5);
    EXPECT_EQ(dense.length(1), 3);
    EXPECT_EQ(at(dense.rows(1, 4), 2), t.offset(1, 2, 4, 0));

    std::vector<std::int32_t> numbers{-3, 9};
    const auto limited = with_lengths(t, host_tensor{numbers.data(), {2}});
    EXPECT_EQ(limited.length(0), 0); // lengths are limited to what the tensor holds
    EXPECT_EQ(limited.length(1), 5);

    std::vector<std::int32_t> offsets{1, 4, 4, 99};
    const host_tensor<half, 3> flat{values.data(), {2, 10, 8}};
    const auto packs = packed(flat, host_tensor{offsets.data(), {4}}, 5);
    EXPECT_EQ(packs.sequences(), 3);
    EXPECT_EQ(packs.length(0), 3);
    EXPECT_EQ(packs.length(1), 0);
    EXPECT_EQ(packs.length(2), 5); // 6 rows, of which `longest` are seen
    EXPECT_EQ(at(packs.rows(2, 1), 1), flat.offset(1, 5, 0));

    std::vector<std::int32_t> table{3, 1, 0, 2, 2, 3};
    const host_tensor<half, 4> pages{values.data(), {4, 2, 7, 8}};
    std::vector<std::int32_t> lengths{20, 22};
    const auto in_pages =
        paged(pages, host_tensor{table.data(), {2, 3}}, host_tensor{lengths.data(), {2}});
    EXPECT_EQ(in_pages.longest(), 21);
    EXPECT_EQ(in_pages.length(1), 21);
    for (index_t row = 0; row < 21; ++row)
        EXPECT_EQ(at(in_pages.rows(1, 1), row),
                  pages.offset(table[static_cast<std::size_t>(3 + row / 7)], 1, row % 7, 0));
}

/// The tile of a program of plain tensors with these sizes on a device of 64 compute units.
attention_tile tile_for(index_t batch, index_t heads, index_t key_heads, index_t queries,
                        index_t keys, index_t row = 128) {
    half* const memory = reinterpret_cast<half*>(std::uintptr_t{1} << 20);
    const extent q_strides[4] = {heads * queries * row, queries * row, row, 1};
    const extent k_strides[4] = {key_heads * keys * row, keys * row, row, 1};
    const tensor<half, 4> q{memory, {batch, heads, queries, 128}, q_strides};
    const tensor<half, 4> k{memory, {batch, key_heads, keys, 128}, k_strides};
    const auto p = attention(q, k, k, scale(0.1f)) | store(q);
    using head = typename std::remove_const_t<decltype(p)>::head_type;
    constexpr auto traits = detail::attention_traits_of<head>;
    constexpr attention_tile all[] = {
        detail::large_prefill_tile(traits), detail::small_prefill_tile(traits),
        detail::decode_tile(traits, 4), detail::decode_tile(traits, 8)};
    return all[choose(p, tile_list<all[0], all[1], all[2], all[3]>{}, 64).tile];
}

TEST(attention_choice, regimes_by_shape) {
    using enum attention_regime;
    EXPECT_EQ(tile_for(1, 32, 8, 1, 8192).regime, decode);
    EXPECT_EQ(tile_for(64, 32, 8, 1, 4096).regime, decode);
    EXPECT_EQ(tile_for(1, 32, 32, 1, 1000).regime, decode);
    EXPECT_EQ(tile_for(1, 32, 8, 4096, 4096).regime, prefill);
    EXPECT_EQ(tile_for(8, 16, 16, 512, 512).regime, prefill);
    EXPECT_EQ(tile_for(1, 12, 12, 128, 128).regime, prefill);
}

TEST(attention_choice, decode_tiles_hold_the_heads_of_a_group) {
    EXPECT_EQ(tile_for(1, 32, 8, 1, 8192).queries, 4);
    EXPECT_EQ(tile_for(1, 64, 8, 1, 8192).queries, 8);
    EXPECT_EQ(tile_for(4, 8, 8, 1, 8192).queries, 4);
}

TEST(attention_choice, large_tiles_where_they_fill_the_device) {
    EXPECT_EQ(tile_for(4, 32, 8, 4096, 4096).queries, 128);
    EXPECT_LT(tile_for(1, 12, 12, 200, 2000).queries, 128);
}

// Rows that do not start at multiples of 16 bytes.
TEST(attention_choice, unaligned_rows_go_to_decode) {
    EXPECT_EQ(tile_for(1, 32, 8, 4096, 4096, 129).regime, attention_regime::decode);
    EXPECT_EQ(tile_for(1, 32, 8, 4096, 4096, 136).regime, attention_regime::prefill);
}

} // namespace
