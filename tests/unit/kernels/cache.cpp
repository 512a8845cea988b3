// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// append_key_value() and rotate() without a device: where tokens go, angles of huge positions, what
// launches refuse.
#include <r9v/cache.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using r9v::host_tensor;
using r9v::index_t;

TEST(rotary, turns_are_exact_to_a_unit_of_float) {
    double worst = 0;
    for (std::uint64_t fraction = 0; fraction < (std::uint64_t{1} << 32); fraction += 49'999) {
        const auto found = r9v::detail::turn_of(static_cast<std::uint32_t>(fraction));
        const double angle = static_cast<double>(fraction) * 0x1p-32 * 2 * std::numbers::pi;
        worst = std::max(worst, std::fabs(static_cast<double>(found.cosine) - std::cos(angle)));
        worst = std::max(worst, std::fabs(static_cast<double>(found.sine) - std::sin(angle)));
    }
    EXPECT_LT(worst, 1.2e-7);
    for (const std::uint32_t quarter : {0u, 1u, 2u, 3u}) {
        const auto found = r9v::detail::turn_of(quarter << 30);
        EXPECT_EQ(found.cosine, quarter == 0 ? 1.0f : quarter == 2 ? -1.0f : 0.0f);
        EXPECT_EQ(found.sine, quarter == 1 ? 1.0f : quarter == 3 ? -1.0f : 0.0f);
    }
}

TEST(rotary, angles_of_large_positions_lose_nothing) {
    const auto embedding = r9v::detail::settled(r9v::rotary({.dim = 128}), 128);
    for (const index_t position : {index_t{0}, index_t{1}, index_t{4095}, index_t{1'048'575},
                                   index_t{100'000'000}, index_t{-3}})
        for (index_t pair = 0; pair < 64; ++pair) {
            const auto turned = static_cast<std::uint64_t>(position) *
                                embedding.angles.turns[static_cast<std::size_t>(pair)];
            const auto found = r9v::detail::turn_of(static_cast<std::uint32_t>(turned >> 32));
            // In long double, since a double's angle of that size is off by a few 1e-9 itself.
            const long double angle =
                static_cast<long double>(position) *
                std::pow(10000.0L, -2.0L * static_cast<long double>(pair) / 128.0L);
            EXPECT_NEAR(found.cosine, static_cast<double>(std::cos(angle)), 2e-7) << position;
            EXPECT_NEAR(found.sine, static_cast<double>(std::sin(angle)), 2e-7) << position;
        }
}

/// One head, one number a row: tokens 1, 2, 3, ... in keys, their negatives in values.
struct tokens {
    std::vector<float> k;
    std::vector<float> v;
    index_t batches;
    index_t count;
    tokens(index_t of_batches, index_t of_count) : batches{of_batches}, count{of_count} {
        for (index_t i = 1; i <= batches * count; ++i) {
            k.push_back(static_cast<float>(i));
            v.push_back(-static_cast<float>(i));
        }
    }
    [[nodiscard]] host_tensor<const float, 4> keys() const {
        return {k.data(), {batches, 1, count, 1}};
    }
    [[nodiscard]] host_tensor<const float, 4> values() const {
        return {v.data(), {batches, 1, count, 1}};
    }
};

struct cache_memory {
    std::vector<float> k;
    std::vector<float> v;
    index_t pages;
    index_t rows;
    cache_memory(index_t of_pages, index_t of_rows)
        : k(static_cast<std::size_t>(of_pages * of_rows)),
          v(k.size()),
          pages{of_pages},
          rows{of_rows} {}
    [[nodiscard]] host_tensor<float, 4> keys() { return {k.data(), {pages, 1, rows, 1}}; }
    [[nodiscard]] host_tensor<float, 4> values() { return {v.data(), {pages, 1, rows, 1}}; }
    void expect(const std::vector<float>& wanted) const {
        EXPECT_EQ(k, wanted);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            EXPECT_EQ(v[i], -wanted[i]);
    }
};

using indices = std::vector<std::int32_t>;
host_tensor<const std::int32_t, 1> vector_of(const indices& numbers) {
    return {numbers.data(), {numbers.size()}};
}

TEST(append, the_last_rows_of_a_length_are_the_new_tokens) {
    const tokens two{2, 2};
    cache_memory to{2, 4};
    const indices lengths{4, 2};
    r9v::launch(r9v::reference, append_key_value(two.keys(), two.values()) |
                                    store(cache_rows(to.keys(), to.values(), vector_of(lengths))));
    to.expect({0, 0, 1, 2, 3, 4, 0, 0});
}

TEST(append, a_length_below_the_tokens_takes_the_last_of_them) {
    const tokens two{2, 2};
    cache_memory to{2, 4};
    const indices lengths{0, 1};
    r9v::launch(r9v::reference, append_key_value(two.keys(), two.values()) |
                                    store(cache_rows(to.keys(), to.values(), vector_of(lengths))));
    to.expect({0, 0, 0, 0, 4, 0, 0, 0});
}

TEST(append, pages_follow_the_block_table) {
    const tokens three{1, 3};
    cache_memory to{4, 2};
    const indices lengths{4};
    const indices table{3, 1};
    r9v::launch(r9v::reference,
                append_key_value(three.keys(), three.values()) |
                    store(cache_pages(to.keys(), to.values(),
                                      host_tensor<const std::int32_t, 2>{table.data(), {1, 2}},
                                      vector_of(lengths))));
    to.expect({0, 0, 2, 3, 0, 0, 0, 1});
}

TEST(append, slots_outside_the_cache_are_skipped) {
    const tokens five{1, 5};
    cache_memory to{2, 3};
    const indices slots{5, -1, 6, 0, 2'000'000'000};
    r9v::launch(r9v::reference, append_key_value(five.keys(), five.values()) |
                                    store(cache_slots(to.keys(), to.values(), vector_of(slots))));
    to.expect({4, 0, 0, 0, 0, 1});
}

template<class Program>
std::string refusal(const Program& p) {
    const r9v::status done = r9v::try_launch(r9v::reference, p);
    return done ? "" : done.what();
}

TEST(append, launches_refuse_what_does_not_fit) {
    const tokens two{2, 2};
    cache_memory to{2, 4};
    cache_memory small{2, 3};
    const indices lengths{4, 2};
    const indices one{4};
    EXPECT_EQ(refusal(append_key_value(two.keys(), two.values()) |
                      store(cache_rows(to.keys(), to.values(), vector_of(one)))),
              "r9v: lengths has 1 sequences where 2 are needed. Pass a tensor with 2.");
    EXPECT_EQ(
        refusal(append_key_value(two.keys(), two.values()) |
                store(cache_rows(to.keys(), small.values(), vector_of(lengths)))),
        "r9v: the caches of keys and values have 4 and 3 rows in a page. Give both the same.");
    EXPECT_EQ(refusal(append_key_value(two.keys(), two.values(), r9v::rotary({})) |
                      store(cache_rows(to.keys(), to.values(), vector_of(lengths)))),
              "r9v: the rotary embedding turns 1 of 1 columns. Name an even number of columns that "
              "the rows have.");
    EXPECT_EQ(refusal(append_key_value(two.keys(), two.values()) |
                      store(cache_rows(to.keys(), to.keys(), vector_of(lengths)))),
              "r9v: the cache of keys overlaps the cache of values. Write into other memory; in "
              "place works only where both have the same pointer, extents, strides and element "
              "size.");
    EXPECT_EQ(refusal(append_key_value(host_tensor<const float, 4>{to.k.data(), {2, 1, 2, 1}},
                                       two.values()) |
                      store(cache_rows(to.keys(), to.values(), vector_of(lengths)))),
              "r9v: the cache of keys overlaps k. Write into other memory; in place works only "
              "where both have the same pointer, extents, strides and element size.");
}

TEST(rotate, may_store_into_its_source) {
    std::vector<float> x{1, 2, 3, 4};
    const host_tensor<float, 2> rows{x.data(), {1, 4}};
    const indices quarter{0};
    const std::vector<float> zero{0, 0};
    const std::vector<float> one{1, 1};
    const host_tensor<const float, 2> cosines{zero.data(), {1, 2}};
    const host_tensor<const float, 2> sines{one.data(), {1, 2}};
    r9v::launch(r9v::reference, rotate(rows, r9v::rotary(vector_of(quarter), cosines, sines,
                                                         r9v::rotary_pairs::halves)) |
                                    r9v::store(rows));
    EXPECT_EQ(x, (std::vector<float>{-3, -4, 1, 2}));
    r9v::launch(r9v::reference, rotate(rows, r9v::rotary(vector_of(quarter), cosines, sines,
                                                         r9v::rotary_pairs::interleaved)) |
                                    r9v::store(rows));
    EXPECT_EQ(x, (std::vector<float>{4, -3, -2, 1}));
    const host_tensor<float, 3> batch{x.data(), {1, 1, 4}};
    r9v::launch(r9v::reference, rotate(batch, r9v::rotary(vector_of(quarter), cosines, sines,
                                                          r9v::rotary_pairs::halves)) |
                                    r9v::store(batch));
    EXPECT_EQ(x, (std::vector<float>{2, -1, 4, -3}));
}

} // namespace
