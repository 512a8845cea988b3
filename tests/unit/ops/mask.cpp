// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What masks do to values: selection whatever the value is, runs of every length, both alignments,
// broadcasting, and what a launch says about their tensors.
#include <r9v/ops.hpp>
#include <r9v/ops/tensor_checks.hpp>

#include "float_math.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace {

using r9v::bottom_right;
using r9v::index_t;
using r9v::not_kept;
using r9v::top_left;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A row of scores after the chain, in runs of N and the rest one by one.
template<int N, class Math = r9v::reference_math, class Chain>
std::vector<typename Math::real> row_after(Chain chain, const r9v::extents& size,
                                           const std::vector<float>& scores,
                                           r9v::coordinate at = {}) {
    using real = typename Math::real;
    r9v::bind(chain, size);
    std::vector<real> result(scores.size());
    std::size_t column = 0;
    const auto one_run = [&]<int Width>() {
        r9v::run<real, Width> x;
        for (int i = 0; i < Width; ++i)
            x[i] = static_cast<real>(scores[column + static_cast<std::size_t>(i)]);
        at.column_offset = static_cast<std::int32_t>(column);
        const auto y = transform(Math{}, chain, at, x);
        for (int i = 0; i < Width; ++i)
            result[column++] = y[i];
    };
    while (column + N <= scores.size())
        one_run.template operator()<N>();
    while (column < scores.size())
        one_run.template operator()<1>();
    return result;
}

/// The scores after the chain, or '.' where one is not kept: the same from runs of every length and
/// in both policies.
template<class Op>
std::string kept_of(const Op& op, const r9v::extents& size, const std::vector<float>& scores,
                    const r9v::coordinate& at = {}) {
    const auto chain = r9v::chain<>{} | op;
    const auto text = [](const auto& row) {
        std::string found;
        for (const auto value : row)
            found += r9v::is_kept(value) ? std::to_string(std::lround(value)) + " " : ". ";
        if (!found.empty()) found.pop_back();
        return found;
    };
    const std::string whole = text(row_after<8>(chain, size, scores, at));
    EXPECT_EQ(text(row_after<1>(chain, size, scores, at)), whole);
    EXPECT_EQ(text(row_after<2>(chain, size, scores, at)), whole);
    EXPECT_EQ(text(row_after<4>(chain, size, scores, at)), whole);
    EXPECT_EQ(text(row_after<8, r9v_test::float_math>(chain, size, scores, at)), whole);
    EXPECT_EQ(text(row_after<1, r9v_test::float_math>(chain, size, scores, at)), whole);
    return whole;
}

std::vector<float> counting(int count) {
    std::vector<float> values;
    for (int i = 1; i <= count; ++i)
        values.push_back(static_cast<float>(i));
    return values;
}

r9v::coordinate at_row(index_t row) {
    return {.row_base = row};
}

TEST(mask, causal_names_its_diagonal) {
    const r9v::extents few_queries{.rows = 2, .columns = 5};
    EXPECT_EQ(kept_of(r9v::causal(top_left), few_queries, counting(5), at_row(0)), "1 . . . .");
    EXPECT_EQ(kept_of(r9v::causal(top_left), few_queries, counting(5), at_row(1)), "1 2 . . .");
    EXPECT_EQ(kept_of(r9v::causal(bottom_right), few_queries, counting(5), at_row(0)), "1 2 3 4 .");
    EXPECT_EQ(kept_of(r9v::causal(bottom_right), few_queries, counting(5), at_row(1)), "1 2 3 4 5");
    const r9v::extents few_keys{.rows = 5, .columns = 2};
    EXPECT_EQ(kept_of(r9v::causal(top_left), few_keys, counting(2), at_row(0)), "1 .");
    EXPECT_EQ(kept_of(r9v::causal(top_left), few_keys, counting(2), at_row(4)), "1 2");
    EXPECT_EQ(kept_of(r9v::causal(bottom_right), few_keys, counting(2), at_row(2)), ". .");
    EXPECT_EQ(kept_of(r9v::causal(bottom_right), few_keys, counting(2), at_row(3)), "1 .");
    EXPECT_EQ(kept_of(r9v::causal(bottom_right), few_keys, counting(2), at_row(4)), "1 2");
}

TEST(mask, window_counts_from_the_aligned_key) {
    const r9v::extents size{.rows = 4, .columns = 10};
    const auto kept = [&](const auto& op) {
        return kept_of(op, size, counting(10), at_row(1));
    };
    EXPECT_EQ(kept(r9v::window(2, 1)), ". . . . . 6 7 8 9 .");
    EXPECT_EQ(kept(r9v::window(2, 1, top_left)), "1 2 3 . . . . . . .");
    EXPECT_EQ(kept(r9v::window(0, 0)), ". . . . . . . 8 . .");
    EXPECT_EQ(kept(r9v::window(-1, 0)), "1 2 3 4 5 6 7 8 . .");
    EXPECT_EQ(kept(r9v::window(0, -1)), ". . . . . . . 8 9 10");
    EXPECT_EQ(kept(r9v::window(-1, -1)), "1 2 3 4 5 6 7 8 9 10");
    EXPECT_EQ(kept(r9v::window(std::numeric_limits<index_t>::max(), 1)), "1 2 3 4 5 6 7 8 9 .");
    EXPECT_EQ(kept(r9v::window(3)), ". . . . . 6 7 8 . .");
    EXPECT_EQ(kept(r9v::window(1)), ". . . . . . . 8 . .");
    EXPECT_EQ(kept(r9v::window(0)), ". . . . . . . . . .");
    EXPECT_EQ(kept(r9v::window(-1)), "1 2 3 4 5 6 7 8 . .");
}

TEST(mask, prefix_follows_the_batch) {
    const std::vector<std::int32_t> lengths{2, 0, -5, 100, 7};
    const r9v::host_tensor<const std::int32_t, 1> view{lengths.data(), {5}};
    const r9v::extents size{.batches = 5, .rows = 1, .columns = 8};
    const auto kept = [&](index_t batch) {
        return kept_of(r9v::prefix(view), size, counting(8), {.batch_base = batch});
    };
    EXPECT_EQ(kept(0), "1 2 . . . . . .");
    EXPECT_EQ(kept(1), ". . . . . . . .");
    EXPECT_EQ(kept(2), ". . . . . . . .");
    EXPECT_EQ(kept(3), "1 2 3 4 5 6 7 8");
    EXPECT_EQ(kept(4), "1 2 3 4 5 6 7 .");
    EXPECT_EQ(kept_of(r9v::prefix(3), size, counting(8)), "1 2 3 . . . . .");
    EXPECT_EQ(kept_of(r9v::prefix(std::numeric_limits<index_t>::max()), size, counting(8)),
              "1 2 3 4 5 6 7 8");
    // Every second entry of a longer array.
    const r9v::host_tensor<const std::int32_t, 1, r9v::layout::strided> apart{
        lengths.data(), {3}, {2}};
    EXPECT_EQ(kept_of(r9v::prefix(apart), size, counting(8), {.batch_base = 2}), "1 2 3 4 5 6 7 .");
}

TEST(mask, a_bias_is_added_and_minus_infinity_is_not_kept) {
    const std::vector<float> bias{
        0, 1, -infinity, -3, 100, -infinity, 7, -1, std::nextafter(-infinity, 0.0f)};
    const r9v::host_tensor<const float, 2> view{bias.data(), {1, 9}};
    const r9v::extents size{.rows = 3, .columns = 9};
    EXPECT_EQ(kept_of(r9v::add_mask(view), size, counting(9), at_row(2)), "1 3 . 1 105 . 14 7 .");
    const std::vector<r9v::half> narrow{r9v::from_double<r9v::half>(-infinity),
                                        r9v::from_double<r9v::half>(-65504.0)};
    EXPECT_EQ(kept_of(r9v::add_mask(r9v::host_tensor<const r9v::half, 2>{narrow.data(), {1, 2}}),
                      {.rows = 1, .columns = 2}, counting(2)),
              ". -65502");
    const std::vector<r9v::bf16> brain{r9v::from_double<r9v::bf16>(-infinity),
                                       r9v::from_double<r9v::bf16>(0.5)};
    EXPECT_EQ(kept_of(r9v::add_mask(r9v::host_tensor<const r9v::bf16, 2>{brain.data(), {1, 2}}),
                      {.rows = 1, .columns = 2}, {1.0f, 1.5f}),
              ". 2");
}

TEST(mask, what_is_not_kept_is_selected_away) {
    const std::vector<float> scores{nan, infinity, -infinity, 1, nan, infinity, 2, nan};
    const std::vector<float> bias{-infinity, -infinity, -infinity, 0, 0, 0, 0, 0};
    const std::vector<std::uint8_t> flags{0, 0, 0, 1, 1, 1, 255, 0};
    const r9v::extents size{.rows = 1, .columns = 8};
    const auto check = [&](const auto& op) {
        const auto chain = r9v::chain<>{} | op;
        for (const auto& row : {row_after<8, r9v_test::float_math>(chain, size, scores),
                                row_after<1, r9v_test::float_math>(chain, size, scores)}) {
            for (int i = 0; i < 3; ++i)
                EXPECT_FALSE(r9v::is_kept(row[static_cast<std::size_t>(i)])) << i;
            EXPECT_EQ(row[3], 1.0f);
            EXPECT_TRUE(r9v::is_nan(row[4])); // a kept NaN shows
            EXPECT_EQ(row[5], infinity);
            EXPECT_EQ(row[6], 2.0f);
        }
    };
    check(r9v::add_mask(r9v::host_tensor<const float, 2>{bias.data(), {1, 8}}));
    check(r9v::where(r9v::host_tensor<const std::uint8_t, 2>{flags.data(), {1, 8}}));
    check(r9v::keep_if([](index_t, index_t, index_t, index_t key) { return key >= 3; }));
    // Row 3 of a band that begins there.
    const auto banded = row_after<8, r9v_test::float_math>(
        r9v::chain<>{} | r9v::window(0, -1, top_left), size, scores, at_row(3));
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(banded[i], not_kept);
    // A bias of NaN shows where it is.
    const std::vector<float> broken{0, nan};
    const auto shown = row_after<1>(
        r9v::chain<>{} | r9v::add_mask(r9v::host_tensor<const float, 2>{broken.data(), {1, 2}}),
        {.rows = 1, .columns = 2}, {1, 1});
    EXPECT_EQ(shown[0], 1.0);
    EXPECT_TRUE(r9v::is_nan(shown[1]));
    EXPECT_TRUE(r9v::is_kept(shown[1]));
}

// Behind another mask a bias may be anything where that does not keep.
TEST(mask, a_bias_keeps_nothing_that_another_mask_does_not) {
    const std::vector<float> bias{1, 2, nan, infinity, 3e38f, -infinity};
    const r9v::extents size{.rows = 1, .columns = 6};
    const auto biased = r9v::add_mask(r9v::host_tensor<const float, 2>{bias.data(), {1, 6}});
    const std::vector<float> scores{1, 1, 1, 1, 1, 1};
    const auto check = [&](const auto& chain) {
        for (const auto& row : {row_after<2, r9v_test::float_math>(chain, size, scores),
                                row_after<1, r9v_test::float_math>(chain, size, scores)}) {
            EXPECT_EQ(row[0], 2.0f);
            EXPECT_EQ(row[1], 3.0f);
            for (std::size_t i = 2; i < 6; ++i)
                EXPECT_FALSE(r9v::is_kept(row[i])) << i;
        }
    };
    check(r9v::prefix(2) | biased);
    check(r9v::prefix(2) | r9v::optional(biased));
    check(r9v::chain<>{} | (r9v::prefix(2) | biased));
    const std::vector<float> ends{0, 0, -infinity, -infinity, -infinity, -infinity};
    check(r9v::add_mask(r9v::host_tensor<const float, 2>{ends.data(), {1, 6}}) | biased);
    // A NaN that both keep shows.
    const auto shown = row_after<1, r9v_test::float_math>(r9v::prefix(3) | biased, size, scores);
    EXPECT_TRUE(r9v::is_nan(shown[2]));
}

TEST(mask, tensors_broadcast_along_every_axis) {
    // [batch, head, row, column] = 2 x 3 x 2 x 4, entry = its own index.
    std::vector<float> entries(48);
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[i] = static_cast<float>(i);
    const r9v::extents size{.batches = 2, .rows = 2, .columns = 4, .heads = 3};
    const r9v::coordinate at{.batch_base = 1, .row_base = 1, .head_base = 2};
    const std::vector<float> zeros(4);
    const auto row = [&](const auto& view) {
        return kept_of(r9v::add_mask(view), size, zeros, at);
    };
    using four = r9v::host_tensor<const float, 4>;
    using strided = r9v::host_tensor<const float, 4, r9v::layout::strided>;
    EXPECT_EQ(row(four{entries.data(), {2, 3, 2, 4}}), "44 45 46 47");
    EXPECT_EQ(row(four{entries.data(), {1, 3, 2, 4}}), "20 21 22 23");
    EXPECT_EQ(row(four{entries.data(), {2, 1, 2, 4}}), "12 13 14 15");
    EXPECT_EQ(row(four{entries.data(), {2, 3, 1, 4}}), "20 21 22 23");
    EXPECT_EQ(row(four{entries.data(), {2, 3, 2, 1}}), "11 11 11 11");
    EXPECT_EQ(row(four{entries.data(), {1, 1, 1, 1}}), "0 0 0 0");
    EXPECT_EQ(row(strided{entries.data(), {2, 3, 2, 4}, {0, 0, 0, 3}}), "0 3 6 9");
    EXPECT_EQ(row(strided{entries.data(), {2, 3, 2, 4}, {8, 0, 4, 0}}), "12 12 12 12");
    EXPECT_EQ(row(r9v::host_tensor<const float, 3>{entries.data(), {2, 2, 4}}), "12 13 14 15");
    EXPECT_EQ(row(r9v::host_tensor<const float, 3>{entries.data(), {1, 2, 4}}), "4 5 6 7");
    EXPECT_EQ(row(r9v::host_tensor<const float, 2>{entries.data(), {2, 4}}), "4 5 6 7");
    // Declared column-major: the rows are neighbours.
    EXPECT_EQ(
        row(r9v::host_tensor<const float, 2, r9v::layout::column_major>{entries.data(), {2, 4}}),
        "1 3 5 7");
    const std::vector<std::int8_t> flags{1, 0, -1, 0};
    EXPECT_EQ(kept_of(r9v::where(r9v::host_tensor<const std::int8_t, 2>{flags.data(), {1, 4}}),
                      size, counting(4), at),
              "1 . 3 .");
    const bool truths[] = {false, true, true, false};
    EXPECT_EQ(
        kept_of(r9v::where(r9v::host_tensor<const bool, 2>{truths, {1, 4}}), size, counting(4), at),
        ". 2 3 .");
}

TEST(mask, functors_see_the_whole_position) {
    const r9v::extents size{.batches = 9, .rows = 9, .columns = 8, .heads = 9};
    const r9v::coordinate at{.batch_base = 3, .row_base = 4, .row_offset = 1, .head_base = 7};
    EXPECT_EQ(kept_of(r9v::keep_if([](auto batch, auto head, auto query, auto key) {
                          return batch == 3 && head == 7 && query == 5 && key % 3 == 1;
                      }),
                      size, counting(8), at),
              ". 2 . . 5 . . 8");
    EXPECT_EQ(kept_of(r9v::keep_if([](r9v::coordinate here) {
                          return here.batch() == 3 && here.head() == 7 && here.query() == 5 &&
                                 here.key() > 5;
                      }),
                      size, counting(8), at),
              ". . . . . . 7 8");
}

TEST(mask, several_masks_keep_what_all_keep) {
    const r9v::extents size{.rows = 1, .columns = 8};
    const auto scores = counting(8);
    const auto chain = r9v::scale(2.0f) | r9v::window(5) | r9v::prefix(7) |
                       r9v::keep_if([](auto, auto, auto, auto key) { return key != 4; });
    EXPECT_TRUE((r9v::has_masks<std::remove_const_t<decltype(chain)>>));
    EXPECT_FALSE((r9v::has_only_intervals<std::remove_const_t<decltype(chain)>>));
    const auto row = row_after<4>(chain, size, scores);
    const std::vector<double> expected{not_kept, not_kept, not_kept, 8, not_kept, 12, 14, not_kept};
    EXPECT_EQ(row, expected);

    auto intervals = r9v::window(5) | r9v::prefix(7);
    EXPECT_TRUE((r9v::has_only_intervals<decltype(intervals)>));
    r9v::bind(intervals, size);
    const auto kept = interval_of(intervals, {.column_base = 2, .column_offset = 1});
    EXPECT_EQ(kept.begin, 0);
    EXPECT_EQ(kept.end, 4);
}

TEST(mask, kept_is_a_question_about_bits) {
    EXPECT_TRUE(r9v::is_kept(0.0f));
    EXPECT_TRUE(r9v::is_kept(-65504.0f));
    EXPECT_TRUE(r9v::is_kept(std::nextafter(not_kept, 0.0f)));
    EXPECT_TRUE(r9v::is_kept(infinity));
    EXPECT_TRUE(r9v::is_kept(nan));
    EXPECT_TRUE(r9v::is_kept(-nan));
    EXPECT_FALSE(r9v::is_kept(not_kept));
    EXPECT_FALSE(r9v::is_kept(-infinity));
    EXPECT_TRUE(r9v::is_kept(-1e38));
    EXPECT_TRUE(r9v::is_kept(static_cast<double>(nan)));
    EXPECT_FALSE(r9v::is_kept(static_cast<double>(not_kept)));
    EXPECT_FALSE(r9v::is_kept(-1e300)); // no float is that low
    EXPECT_FALSE(r9v::is_kept(static_cast<double>(-infinity)));
}

TEST(alibi, scores_fall_with_the_distance) {
    const std::vector<float> slopes{0.5f, 2.0f};
    const r9v::host_tensor<const float, 1> view{slopes.data(), {2}};
    const r9v::extents size{.rows = 2, .columns = 5, .heads = 2};
    const std::vector<float> scores(5, 100.0f);
    const auto row = [&](const auto& op, index_t head, index_t at) {
        const auto chain = r9v::chain<>{} | op;
        const r9v::coordinate where{.row_base = at, .head_base = head};
        const auto found = row_after<4>(chain, size, scores, where);
        EXPECT_EQ(found, row_after<1>(chain, size, scores, where));
        const auto narrow = row_after<2, r9v_test::float_math>(chain, size, scores, where);
        EXPECT_EQ(found, std::vector<double>(narrow.begin(), narrow.end()));
        return found;
    };
    // The last query stands at the last key.
    EXPECT_EQ(row(r9v::alibi(view), 1, 1), (std::vector<double>{92, 94, 96, 98, 100}));
    EXPECT_EQ(row(r9v::alibi(view), 1, 0), (std::vector<double>{94, 96, 98, 100, 98}));
    EXPECT_EQ(row(r9v::alibi(view), 0, 1), (std::vector<double>{98, 98.5, 99, 99.5, 100}));
    EXPECT_EQ(row(r9v::alibi(2.0f), 0, 1), (std::vector<double>{92, 94, 96, 98, 100}));
    EXPECT_EQ(row(r9v::alibi(r9v::per_head(view)), 0, 1),
              (std::vector<double>{98, 98.5, 99, 99.5, 100}));
}

TEST(sink, is_found_and_leaves_runs_alone) {
    const std::vector<float> logits{3.0f, 4.0f};
    const r9v::host_tensor<const float, 1> view{logits.data(), {2}};
    const auto chain =
        r9v::scale(2.0f) | r9v::causal(bottom_right) | r9v::sink(r9v::per_head(view));
    using type = std::remove_const_t<decltype(chain)>;
    EXPECT_TRUE(type::has_sink);
    EXPECT_EQ(sink_of(chain).logit(r9v::reference_math{}, {.head_base = 1}), 4.0);
    EXPECT_EQ(row_after<1>(chain, {.rows = 1, .columns = 2}, {1, 2}), (std::vector<double>{2, 4}));
    EXPECT_EQ(sink_of(r9v::chain<>{} | r9v::sink(-1.5f)).logit(r9v::reference_math{}, {}), -1.5);
    EXPECT_TRUE(
        (std::is_same_v<decltype(sink_of(r9v::chain<>{} | r9v::scale(1.0f))), r9v::no_sink>));
}

TEST(mask, may_be_missing) {
    const std::vector<float> bias{0, -infinity, 1};
    const std::vector<std::int32_t> lengths{2};
    const r9v::extents size{.batches = 1, .rows = 1, .columns = 3};
    using matrix = r9v::host_tensor<const float, 2>;
    using vector = r9v::host_tensor<const std::int32_t, 1>;
    EXPECT_EQ(kept_of(r9v::optional(r9v::add_mask(matrix{bias.data(), {1, 3}})), size, counting(3)),
              "1 . 4");
    EXPECT_EQ(kept_of(r9v::optional(r9v::add_mask(matrix{nullptr, {1, 3}})), size, counting(3)),
              "1 2 3");
    const auto there = r9v::optional(r9v::prefix(vector{lengths.data(), {1}}));
    const auto missing = r9v::optional(r9v::prefix(vector{nullptr, {1}}));
    EXPECT_EQ(kept_of(there, size, counting(3)), "1 2 .");
    EXPECT_EQ(kept_of(missing, size, counting(3)), "1 2 3");
    const r9v::row_range rows{0, 0, 0, 1};
    EXPECT_EQ(columns_of(r9v::chain<>{} | there, rows, 3), (r9v::column_range{0, 2, 0, 2}));
    EXPECT_EQ(columns_of(r9v::chain<>{} | missing, rows, 3), (r9v::column_range{0, 3, 0, 3}));
    EXPECT_EQ(keeps(r9v::chain<>{} | missing, {0, 0, 0, 1, 0, 3}), r9v::tile_answer::all);

    const auto sink =
        r9v::optional(r9v::sink(r9v::per_head(r9v::host_tensor<const float, 1>{nullptr, {1}})));
    EXPECT_FALSE(r9v::is_kept(sink_of(r9v::chain<>{} | sink).logit(r9v::reference_math{}, {})));
}

template<class Op>
std::string complaint(const Op& op, const r9v::extents& size) {
    r9v::detail::tensor_checks checks{size};
    visit_operands(r9v::chain<>{} | op, checks);
    return checks.outcome() ? "" : checks.outcome().what();
}

TEST(mask, launches_check_the_tensors) {
    const std::vector<float> memory(64);
    const std::vector<std::int32_t> lengths(8);
    const r9v::extents size{.batches = 2, .rows = 4, .columns = 8, .heads = 1};
    using matrix = r9v::host_tensor<const float, 2>;
    using batched = r9v::host_tensor<const float, 3>;
    EXPECT_EQ(complaint(r9v::add_mask(matrix{memory.data(), {4, 8}}), size), "");
    EXPECT_EQ(complaint(r9v::add_mask(matrix{memory.data(), {1, 8}}), size), "");
    EXPECT_EQ(complaint(r9v::add_mask(batched{memory.data(), {2, 4, 1}}), size), "");
    EXPECT_EQ(
        complaint(r9v::add_mask(matrix{memory.data(), {4, 7}}), size),
        "r9v: add_mask has 7 columns but there are 8. Pass a tensor with 8, or with 1 for all "
        "of them.");
    EXPECT_EQ(
        complaint(r9v::add_mask(batched{memory.data(), {3, 1, 8}}), size),
        "r9v: add_mask has 3 batches but there are 2. Pass a tensor with 2, or with 1 for all "
        "of them.");
    EXPECT_NE(complaint(r9v::add_mask(matrix{nullptr, {4, 8}}), size), "");
    using vector = r9v::host_tensor<const std::int32_t, 1>;
    EXPECT_EQ(complaint(r9v::prefix(vector{lengths.data(), {2}}), size), "");
    EXPECT_EQ(complaint(r9v::prefix(vector{lengths.data(), {3}}), size),
              "r9v: prefix has 3 batches but the result has 2. Pass a tensor with 2.");
    EXPECT_EQ(complaint(r9v::alibi(r9v::host_tensor<const float, 1>{memory.data(), {4}}), size),
              "r9v: alibi has 4 heads but the result has 1. Pass a tensor with 1.");
}

} // namespace
