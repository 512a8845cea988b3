// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Skipping can never disagree with masking: for random masks, alone and in pairs, every score of
// every tile is compared with what columns_of() and keeps() say about the tile.
#include "mask_samples.hpp"
#include <cstdlib>
#include <gtest/gtest.h>

namespace {

using namespace r9v_test;
using r9v::tile_answer;

/// Whether the mask op itself keeps a score, seen as kernels see it: bases and offsets apart, in
/// the middle of a run.
template<class Chain>
bool is_kept_by_op(const Chain& chain, const score_at& at, index_t lead) {
    r9v::run<double, 8> x = r9v::broadcast<8>(1.0);
    const r9v::coordinate start{.batch_base = at.batch,
                                .row_base = at.row - 3,
                                .column_base = at.column - lead - 5,
                                .row_offset = 3,
                                .column_offset = 5,
                                .head_base = at.head};
    const auto y = transform(r9v::reference_math{}, chain, start, x);
    return r9v::is_kept(y[static_cast<int>(lead)]);
}

/// Runs of 8 do not fit into tensors of any size: one value at a time.
template<class Chain>
bool is_kept_alone(const Chain& chain, const score_at& at) {
    const r9v::coordinate start{
        .batch_base = at.batch, .row_base = at.row, .column_base = at.column, .head_base = at.head};
    return r9v::is_kept(
        transform(r9v::reference_math{}, chain, start, r9v::run<double, 1>{{1.0}})[0]);
}

struct expectations {
    bool is_exact; ///< a single mask whose ranges are as narrow as they can be
    bool reads_memory;
};

template<class Chain, class Truth>
void check_tile(const Chain& chain, const Truth& truth, const r9v::score_tile& tile,
                const expectations& expected) {
    const r9v::column_range range = columns_of(chain, tile.rows());
    ASSERT_LE(0, range.begin);
    ASSERT_LE(range.begin, range.all_begin);
    ASSERT_LE(range.all_begin, range.all_end);
    ASSERT_LE(range.all_end, range.end);
    const tile_answer answer = keeps(chain, tile);
    bool any = false;
    bool all = true;
    for (index_t row = tile.row_begin; row < tile.row_end; ++row)
        for (index_t column = tile.column_begin; column < tile.column_end; ++column) {
            const score_at at{tile.batch, tile.head, row, column};
            const bool kept = truth(at);
            any = any || kept;
            all = all && kept;
            ASSERT_EQ(is_kept_alone(chain, at), kept) << "row " << row << ", column " << column;
            if (!expected.reads_memory) {
                ASSERT_EQ(is_kept_by_op(chain, at, (row + column) % 8), kept)
                    << "row " << row << ", column " << column;
            }
            if (kept) {
                ASSERT_TRUE(range.begin <= column && column < range.end)
                    << "column " << column << " of row " << row << " is kept outside "
                    << range.begin << " to " << range.end;
            } else {
                ASSERT_FALSE(range.all_begin <= column && column < range.all_end)
                    << "column " << column << " of row " << row << " is not kept inside "
                    << range.all_begin << " to " << range.all_end;
            }
        }
    ASSERT_FALSE(answer == tile_answer::none && any);
    ASSERT_FALSE(answer == tile_answer::all && !all);
    if (expected.is_exact && tile.row_begin < tile.row_end && tile.column_begin < tile.column_end) {
        ASSERT_EQ(answer == tile_answer::none, !any);
        ASSERT_EQ(answer == tile_answer::all, all);
    }
}

template<class Chain, class Truth>
void check_tiles(const Chain& chain, const Truth& truth, const r9v::extents& size,
                 const mask_source& from, const expectations& expected) {
    for (int count = 0; count < 12; ++count) {
        const index_t row_begin = from.pick(0, size.rows);
        const index_t row_end = from.pick(row_begin, size.rows);
        const index_t column_begin = from.pick(0, size.columns);
        const index_t column_end = from.pick(column_begin, size.columns);
        const r9v::score_tile tile{from.pick(0, size.batches - 1),
                                   from.pick(0, size.heads - 1),
                                   row_begin,
                                   row_end,
                                   column_begin,
                                   column_end};
        SCOPED_TRACE("rows " + std::to_string(row_begin) + " to " + std::to_string(row_end) +
                     ", columns " + std::to_string(column_begin) + " to " +
                     std::to_string(column_end));
        check_tile(chain, truth, tile, expected);
        if (testing::Test::HasFatalFailure()) return;
    }
}

/// Rows and columns, (2, 5) and (5, 2), 0 and 1 among them.
r9v::extents pick_size(const mask_source& from) {
    constexpr index_t fixed[][2] = {{2, 5}, {5, 2}, {0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}};
    r9v::extents size{
        .batches = from.pick(1, 3), .rows = 0, .columns = 0, .heads = from.pick(1, 3)};
    const index_t kind = from.pick(0, 13);
    size.rows = kind < 7 ? fixed[kind][0] : from.pick(0, 40);
    size.columns = kind < 7 ? fixed[kind][1] : from.pick(0, 40);
    return size;
}

unsigned seed() {
    const char* text = std::getenv("R9V_SEED");
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 31u;
}

template<class Mask>
constexpr bool reads_memory(const Mask&) {
    return r9v::memory_of<decltype(Mask::op)> != r9v::space::none;
}

template<class Sample>
void check_alone(Sample sample, int repeats) {
    std::mt19937_64 engine{seed()};
    for (int repeat = 0; repeat < repeats; ++repeat) {
        mask_source from{engine, {}};
        from.size = pick_size(from);
        const auto mask = sample(from);
        auto chain = r9v::chain<>{} | mask.op;
        r9v::bind(chain, from.size);
        SCOPED_TRACE(mask.name + ", seed " + std::to_string(seed()) + ", " +
                     std::to_string(from.size.rows) + " rows, " +
                     std::to_string(from.size.columns) + " columns");
        check_tiles(chain, mask.keeps, from.size, from, {mask.is_exact, reads_memory(mask)});
        if (testing::Test::HasFatalFailure()) return;
    }
}

template<class First, class Second>
void check_pair(First first, Second second) {
    std::mt19937_64 engine{seed() + 1};
    for (int repeat = 0; repeat < 25; ++repeat) {
        mask_source from{engine, {}};
        from.size = pick_size(from);
        const auto a = first(from);
        const auto b = second(from);
        auto chain = r9v::chain<>{} | a.op | b.op;
        r9v::bind(chain, from.size);
        SCOPED_TRACE(a.name + " | " + b.name + ", seed " + std::to_string(seed()) + ", " +
                     std::to_string(from.size.rows) + " rows, " +
                     std::to_string(from.size.columns) + " columns");
        check_tiles(chain, [&](const score_at& at) { return a.keeps(at) && b.keeps(at); },
                    from.size, from, {false, reads_memory(a) || reads_memory(b)});
        if (testing::Test::HasFatalFailure()) return;
    }
}

template<class... Samples>
void check_pairs(Samples... samples) {
    const auto with_all = [&](auto first) {
        (check_pair(first, samples), ...);
    };
    (with_all(samples), ...);
}

TEST(mask_skipping, every_mask_alone) {
    check_alone(sample_causal, 150);
    check_alone(sample_window, 300);
    check_alone(sample_sliding_window, 150);
    check_alone(sample_prefix, 100);
    check_alone(sample_lengths, 100);
    check_alone(sample_blocks, 100);
    check_alone(sample_block_columns, 100);
    check_alone(sample_functor, 50);
    check_alone(sample_bias<2>, 50);
    check_alone(sample_bias<3>, 50);
    check_alone(sample_bias<4>, 50);
    check_alone(sample_booleans<2>, 50);
    check_alone(sample_booleans<3>, 50);
    check_alone(sample_booleans<4>, 50);
}

TEST(mask_skipping, masks_in_pairs) {
    check_pairs(sample_causal, sample_window, sample_sliding_window, sample_lengths, sample_blocks,
                sample_block_columns, sample_functor, sample_bias<4>, sample_booleans<3>);
}

/// Sizes that no memory has: the arithmetic of ranges and of runs far from them.
TEST(mask_skipping, huge_sizes) {
    std::mt19937_64 engine{seed() + 2};
    constexpr index_t huge = index_t{1} << 57;
    for (int repeat = 0; repeat < 3000; ++repeat) {
        mask_source from{engine, {}};
        const auto pick_huge = [&] {
            const index_t scale = index_t{1} << from.pick(0, 57);
            return r9v::detail::smaller(huge, scale + from.pick(0, 40));
        };
        from.size = {.batches = 1, .rows = pick_huge(), .columns = pick_huge(), .heads = 1};
        const r9v::corner side = from.pick_corner();
        const index_t left = from.pick(0, 3) == 0 ? pick_huge() : from.pick_width();
        const index_t right = from.pick(0, 3) == 0 ? pick_huge() : from.pick_width();
        auto chain = r9v::causal(side) | r9v::window(left, right);
        r9v::bind(chain, from.size);
        const index_t apart = from.size.columns - from.size.rows;
        const index_t shift = side == r9v::bottom_right ? apart : 0;
        const auto truth = [&](const score_at& at) {
            const index_t behind = at.row + apart - at.column;
            return at.column <= at.row + shift && (left < 0 || behind <= left) &&
                   (right < 0 || -behind <= right);
        };
        const auto near = [&](index_t place, index_t size) {
            return r9v::detail::larger(0, r9v::detail::smaller(size, place + from.pick(-9, 9)));
        };
        const index_t row_begin = near(from.pick(0, from.size.rows), from.size.rows);
        const index_t row_end = near(row_begin + 9, from.size.rows);
        // Around the diagonal, around either end of the window, or anywhere.
        const auto modest = [](index_t width) {
            return r9v::detail::smaller(width, huge);
        };
        const index_t centres[] = {row_begin + shift, row_begin + apart - modest(left),
                                   row_begin + apart + modest(right),
                                   from.pick(0, from.size.columns)};
        const index_t centre = centres[from.pick(0, 3)];
        const index_t column_begin = near(r9v::detail::smaller(centre, huge), from.size.columns);
        const index_t column_end = near(column_begin + 9, from.size.columns);
        SCOPED_TRACE("rows " + std::to_string(from.size.rows) + ", columns " +
                     std::to_string(from.size.columns) + ", window " + std::to_string(left) + ", " +
                     std::to_string(right) + ", row " + std::to_string(row_begin) + ", column " +
                     std::to_string(column_begin));
        check_tile(chain, truth, {0, 0, row_begin, row_end, column_begin, column_end},
                   {false, false});
        if (HasFatalFailure()) return;
    }
}

} // namespace
