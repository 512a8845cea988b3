// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The order of tiles: every tile once, groups of rows together, and division without a division.
#include <r9v/tile/raster.hpp>

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace {

using r9v::tile::divisor;
using r9v::tile::raster;

TEST(divisor, divides_as_division_does) {
    EXPECT_EQ(divisor{}.quotient(0x7fffffffu), 0x7fffffffu) << "by 1 where nothing is said";
    constexpr std::uint32_t last = 0x7fff'ffffu;
    for (const std::uint32_t by : {1u, 2u, 3u, 5u, 7u, 641u, 65'535u, 65'536u, 65'537u, 1'000'003u,
                                   0x3fff'ffffu, 0x4000'0000u, 0x4000'0001u, last}) {
        const divisor d{by};
        std::uint32_t dividend = 1;
        for (int i = 0; i < 100'000; ++i) {
            dividend = (dividend * 1'664'525u + 1'013'904'223u) & last;
            ASSERT_EQ(d.quotient(dividend), dividend / by) << dividend << " / " << by;
        }
        // Around multiples, where a wrong multiplier shows first.
        for (const std::uint32_t near : {0u, 1u, by - 1, last - 1, last, last / by * by})
            EXPECT_EQ(d.quotient(near), near / by) << near << " / " << by;
        if (last / by >= 1) {
            const std::uint32_t multiple = last / by * by;
            EXPECT_EQ(d.quotient(multiple - 1), (multiple - 1) / by) << by;
        }
    }
}

TEST(raster, visits_every_tile_once) {
    for (const std::uint32_t tiles_m : {1u, 2u, 7u, 8u, 9u, 16u, 31u})
        for (const std::uint32_t tiles_n : {1u, 2u, 3u, 17u})
            for (const std::uint32_t batches : {1u, 3u}) {
                const raster r{tiles_m, tiles_n, tiles_m < 8 ? tiles_m : 8};
                std::vector<int> seen(batches * tiles_m * tiles_n);
                for (std::uint32_t block = 0; block < seen.size(); ++block) {
                    const auto at = r.at(block);
                    ASSERT_LT(at.batch, batches);
                    ASSERT_LT(at.row, tiles_m);
                    ASSERT_LT(at.column, tiles_n);
                    ++seen[(at.batch * tiles_m + at.row) * tiles_n + at.column];
                }
                for (const int count : seen)
                    ASSERT_EQ(count, 1) << tiles_m << " x " << tiles_n;
            }
}

TEST(raster, blocks_that_run_together_share_rows_and_columns) {
    const raster r{32, 32, 8};
    std::vector<bool> rows(32);
    std::vector<bool> columns(32);
    for (std::uint32_t block = 0; block < 64; ++block) {
        rows[r.at(block).row] = true;
        columns[r.at(block).column] = true;
    }
    // 64 tiles of a row or a column would touch 32 + 2 stripes of the operands.
    EXPECT_EQ(std::count(rows.begin(), rows.end(), true), 8);
    EXPECT_EQ(std::count(columns.begin(), columns.end(), true), 8);
}

} // namespace
