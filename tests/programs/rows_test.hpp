// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Runs row programs on the device, once for each way in which a row can be shared, and through the
// reference.
#pragma once

#include <r9v/norm.hpp>
#include <r9v/softmax.hpp>

#include "program_test.hpp"
#include <algorithm>
#include <cmath>

namespace r9v_test {

struct row_shape {
    index_t batches = 1;
    index_t heads = 1;
    index_t rows = 1;
    index_t columns = 1;
};

inline std::ostream& operator<<(std::ostream& to, const row_shape& s) {
    return to << s.batches << " x " << s.heads << " x " << s.rows << " rows of " << s.columns;
}

inline constexpr index_t row_lengths[] = {1,    2,    31,    32,    33,    127,    1000,
                                          1024, 4097, 16385, 65536, 65537, 131072, 262144};
inline constexpr index_t long_row = 16385; ///< from here on, 3 rows at the most

/// A shape of every length, with random numbers of rows. `most` bounds the elements of one that is
/// not long.
inline std::vector<row_shape> row_shapes(index_t most = 100000, index_t longest = 262144) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::uint64_t mixed = seed();
    for (const char* c = info->name(); *c != 0; ++c)
        mixed = (mixed ^ static_cast<unsigned char>(*c)) * 1099511628211ull;
    std::mt19937_64 random{mixed};
    constexpr index_t counts[] = {1, 3, 64, 257};
    std::vector<row_shape> shapes;
    // One long row is enough for a program: which one differs from test to test.
    const index_t chosen = row_lengths[9 + random() % 5];
    for (const index_t columns : row_lengths) {
        if (columns >= long_row && (columns != chosen || columns > longest)) continue;
        row_shape s{1, 1, counts[random() % 4], columns};
        while (s.rows > 1 && s.rows * columns > most)
            s.rows = s.rows == 257 ? 64 : s.rows == 64 ? 3 : 1;
        if (columns >= long_row) s.rows = random() % 2 == 0 ? 1 : 3;
        shapes.push_back(s);
    }
    return shapes;
}

/// Every way to share rows: one row a lane to one row a block and more.
inline constexpr r9v::row_tile row_tiles[] = {
    {},
    {.lanes = 32, .waves_a_row = 1},
    {.lanes = 4, .waves_a_row = 1},
    {.lanes = 32, .waves_a_row = 8},
    {.lanes = 1, .waves_a_row = 8},
    {.lanes = 8, .waves_a_row = 2},
    {.regime = r9v::row_regime::streaming, .runs = 4},
    {.regime = r9v::row_regime::streaming, .runs = 4, .lanes = 2, .waves_a_row = 4},
    {.regime = r9v::row_regime::split, .runs = 4},
    {.regime = r9v::row_regime::split, .runs = 4, .lanes = 1, .waves_a_row = 1},
};

/// Bounds on errors of the arithmetic: of each value, and relative to it.
struct row_bound {
    double absolute = 0;
    double relative = 0;
};

inline constexpr double unit = 0x1p-24; ///< of f32

/// Terms that are added one after the other at most, in units of f32: those of a lane, then those
/// of lanes, waves and parts.
inline double added(const row_shape& s) {
    const auto columns = static_cast<double>(s.columns);
    return std::min(columns, 64 + columns / 8) + 64;
}
/// Softmax of values up to `magnitude`, after `ops` roundings of each. exp(x - m) is off by what
/// its argument is, 2 (ops + 1) units of x and 2 of the difference, and 2 more; the sum by one for
/// each term; results below the smallest normal float are lost.
inline row_bound softmax_bound(const row_shape& s, double magnitude, int ops = 0) {
    const double argument = (2 * (ops + 1) + 4) * magnitude;
    return {2 * 0x1p-126, unit * (argument + added(s) + 8)};
}
/// x - m - log(sum), or m + log(sum): the same errors without exp.
inline row_bound logarithm_bound(const row_shape& s, double magnitude, int ops = 0) {
    const double relative = softmax_bound(s, magnitude, ops).relative;
    return {2 * relative + 4 * unit * (2 * magnitude + std::log(double(s.columns)) + 1), 0};
}
/// Norms whose results are up to `largest`, of values that `ops` roundings changed by units of
/// `magnitude` over the row's deviation.
inline row_bound norm_bound(const row_shape& s, double largest, double magnitude = 0, int ops = 0) {
    return {unit * ((added(s) + 16) * largest + 2 * ops * magnitude), unit * (added(s) + 16)};
}

/// Runs on the device with one tile, if the shape allows it, and compares.
template<r9v::row_tile Tile, class Make>
void check_row_tile(const Make& make, const row_shape& s, memory_record& record,
                    const row_bound& bound, int& runs) {
    memory<side::device> device{record};
    const auto program = make(device, s);
    using program_type = std::remove_const_t<decltype(program)>;
    if constexpr (r9v::detail::is_valid_row_tile<program_type>(Tile)) {
        std::optional<r9v::prepared<program_type>> chosen;
        const r9v::status fits = r9v::try_prepare(r9v::only<Tile>(program), chosen);
        if (fits) {
            void* scratch = nullptr;
            const std::size_t bytes = chosen->workspace_bytes();
            if (bytes != 0) ASSERT_EQ(hipMalloc(&scratch, bytes), hipSuccess);
            r9v::launch(hipStream_t{}, *chosen, {scratch, bytes});
            record.download();
            if (scratch != nullptr) (void)hipFree(scratch);
            record.compare(bound.absolute, bound.relative);
            ++runs;
        } else {
            const std::string why = fits.what();
            EXPECT_TRUE(why.find("too long for this tile's registers") != std::string::npos ||
                        why.find("rows this long are loaded twice") != std::string::npos)
                << why;
        }
    }
    record.forget_device();
}

/// `make(memory, shape)` returns the program; `bound_of(shape)` the bounds of its arithmetic.
template<class Make, class BoundOf>
void check_rows(const Make& make, const BoundOf& bound_of, const std::vector<row_shape>& shapes) {
    std::uint64_t number = 0;
    int runs = 0;
    for (const row_shape& s : shapes) {
        memory_record record{seed() + ++number};
        memory<side::host> host{record};
        r9v::launch(r9v::reference, make(host, s));
        [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            (
                [&] {
                    if (::testing::Test::HasFailure()) return;
                    SCOPED_TRACE(::testing::Message()
                                 << s << ", tile " << Is << ", R9V_SEED " << seed());
                    check_row_tile<row_tiles[Is]>(make, s, record, bound_of(s), runs);
                }(),
                ...);
        }(std::make_index_sequence<std::size(row_tiles)>{});
        if (::testing::Test::HasFailure()) return;
    }
    ::testing::Test::RecordProperty("runs", runs);
    std::printf("%d runs\n", runs);
}

} // namespace r9v_test
