// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Sequences of different lengths: with lengths, packed and in pages of any size. Lengths of 0 come
// up everywhere, and whatever belongs to nobody is NaN.

#include "attention_test.hpp"

namespace r9v_test {

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

constexpr index_t page_sizes[] = {1, 7, 16, 64, 128};

/// Cases of 4 sequences whose lengths differ, one of them empty.
std::vector<attention_case> ragged_cases(std::size_t count, const std::vector<index_t>& dims) {
    auto cases = random_attention_cases(count, dims, 4e5);
    std::mt19937 random{static_cast<std::uint32_t>(seed())};
    std::size_t number = 0;
    for (attention_case& c : cases) {
        c.batch = 4;
        c.page = page_sizes[number % std::size(page_sizes)];
        for (index_t i = 0; i < c.batch; ++i) {
            const auto part = [&](index_t most) {
                return static_cast<std::int32_t>(static_cast<index_t>(random() % 8) * most / 7);
            };
            c.query_lengths.push_back(part(c.queries));
            c.key_lengths.push_back(part(c.keys));
        }
        c.query_lengths[number % 4] = static_cast<std::int32_t>(c.queries);
        c.key_lengths[number % 4] = static_cast<std::int32_t>(c.keys);
        c.query_lengths[(number + 1) % 4] = 0;
        c.key_lengths[(number + 2) % 4] = 0;
        ++number;
    }
    for (const index_t page : {7, 16, 128}) { // many steps a wave
        attention_case c = crowded_case(page == 16 ? 2 : 1, 333, page == 7 ? 5 : 1);
        c.page = page;
        c.dim = c.value_dim = dims.front();
        for (index_t i = 0; i < c.batch; ++i) {
            c.query_lengths.push_back(static_cast<std::int32_t>(i == 3 ? 0 : c.queries));
            c.key_lengths.push_back(static_cast<std::int32_t>(c.keys - 11 * i));
        }
        cases.push_back(c);
    }
    return cases;
}

TEST(attention_forms, lengths) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            auto q = rows_input<half>(memory, c, c.heads(), c.queries, c.dim);
            auto k = limited_input<half>(memory, c, c.dim);
            auto v = limited_input<half>(memory, c, c.value_dim);
            auto lengths = memory.indices({c.batch}, c.key_lengths);
            auto o = rows_output<half>(memory, c, c.heads(), c.queries, c.value_dim);
            auto lse = log_sum_exp_output(memory, c);
            return attention(q, with_lengths(k, lengths), with_lengths(v, lengths),
                             scale(c.scale()) | causal(bottom_right)) |
                   log_sum_exp_rows(lse) | store(o);
        },
        ragged_cases(12, {96, 128}));
}

TEST(attention_forms, packed_queries_and_keys) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const packing queries{c.query_lengths};
            const packing keys{c.key_lengths};
            const auto of_queries = memory.indices({c.batch + 1}, queries.offsets);
            const auto of_keys = memory.indices({c.batch + 1}, keys.offsets);
            auto q = packed_input<half>(memory, c, queries, c.heads(), c.dim);
            auto k = packed_input<half>(memory, c, keys, c.key_heads, c.dim);
            auto v = packed_input<half>(memory, c, keys, c.key_heads, c.value_dim);
            auto o = memory.template output<half>({1, c.heads(), queries.total, c.value_dim});
            auto lse = memory.template output<float>({1, c.heads(), queries.total});
            return attention<64>(packed(q, of_queries, queries.longest),
                                 packed(k, of_keys, keys.longest), packed(v, of_keys, keys.longest),
                                 scale(c.scale()) | causal(c.side)) |
                   log_sum_exp_rows(lse) | store(o);
        },
        ragged_cases(12, {16, 64}));
}

TEST(attention_forms, pages) {
    check_attention<half>(
        [](auto& memory, const attention_case& c) {
            const paging pages{c.key_lengths, c.page, 77};
            auto q = rows_input<half>(memory, c, c.heads(), c.queries, c.dim);
            auto k = paged_input<half>(memory, c, pages, c.dim);
            auto v = paged_input<half>(memory, c, pages, c.value_dim);
            auto table = memory.indices({c.batch, pages.most}, pages.table);
            auto lengths = memory.indices({c.batch}, c.key_lengths);
            auto o = rows_output<half>(memory, c, c.heads(), c.queries, c.value_dim);
            auto lse = log_sum_exp_output(memory, c);
            return attention(q, paged(k, table, lengths), paged(v, table, lengths),
                             scale(c.scale()) | causal(bottom_right)) |
                   log_sum_exp_rows(lse) | store(o);
        },
        ragged_cases(20, {80, 128}));
}

// Tokens of several requests behind one another, each with its own pages: an engine's step.
TEST(attention_forms, packed_queries_over_pages) {
    check_attention<bf16>(
        [](auto& memory, const attention_case& c) {
            const packing queries{c.query_lengths};
            const paging pages{c.key_lengths, c.page, 78};
            auto offsets = memory.indices({c.batch + 1}, queries.offsets);
            auto q = packed_input<bf16>(memory, c, queries, c.heads(), c.dim);
            auto k = paged_input<bf16>(memory, c, pages, c.dim);
            auto v = paged_input<bf16>(memory, c, pages, c.value_dim);
            auto table = memory.indices({c.batch, pages.most}, pages.table);
            auto lengths = memory.indices({c.batch}, c.key_lengths);
            auto sinks = memory.template input<float>({c.heads()});
            auto o = memory.template output<bf16>({1, c.heads(), queries.total, c.value_dim});
            auto lse = memory.template output<float>({1, c.heads(), queries.total});
            return attention<64>(packed(q | scale(2.0f), offsets, queries.longest),
                                 paged(k, table, lengths), paged(v, table, lengths),
                                 scale(c.scale()) | window(c.variant * 30 + 1) |
                                     sink(per_head(sinks))) |
                   log_sum_exp_rows(lse) | store(o);
        },
        ragged_cases(12, {40, 64}), {.logit_gain = 2, .rounds_query = true});
}

} // namespace

} // namespace r9v_test
