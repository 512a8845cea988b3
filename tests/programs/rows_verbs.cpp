// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The verbs on row programs: tiles by name, scratch memory, programs behind one type, one row.

#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "rows_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

/// Rows of equal values: every result is 1 / columns.
struct equal_rows {
    index_t rows;
    index_t columns;
    buffer<half> x{
        std::vector<half>(static_cast<std::size_t>(rows * columns), from_float<half>(3.0f))};
    buffer<half> y{rows * columns};
    stream s{};

    [[nodiscard]] auto program() const {
        return softmax(x.view({rows, columns})) | store(y.view({rows, columns}));
    }
    void expect_done() {
        for (const half value : y.download(s))
            ASSERT_EQ(value.bits, from_float<half>(1.0f / static_cast<float>(columns)).bits);
    }
};

constexpr row_tile split{.regime = row_regime::split, .runs = 4};

} // namespace

TEST(rows_verbs, tile_by_name) {
    equal_rows of{5, 512};
    launch<row_tile{.regime = row_regime::streaming, .runs = 4}>(of.s, of.program());
    of.expect_done();
}

TEST(rows_verbs, chosen_tile_is_told) {
    equal_rows of{5, 512};
    const auto p = prepare(of.program());
    EXPECT_EQ(p.tile().regime, row_regime::registers);
    EXPECT_EQ(p.workspace_bytes(), 0u);
    launch(of.s, p);
    of.expect_done();
}

TEST(rows_verbs, a_split_asks_for_scratch_memory) {
    equal_rows of{1, 16384};
    const auto p = prepare(only<split>(of.program()));
    EXPECT_EQ(p.kernels(), 2);
    const buffer<float> scratch{static_cast<index_t>(p.workspace_bytes() / sizeof(float))};
    const status refused = try_launch(of.s, p);
    EXPECT_NE(std::string{refused.what()}.find("bytes of scratch memory"), std::string::npos);
    launch(of.s, p, {scratch.data(), p.workspace_bytes()});
    of.expect_done();
}

TEST(rows_verbs, a_tile_too_small_is_refused) {
    equal_rows of{2, 4096};
    const auto p = only<row_tile{.lanes = 4, .waves_a_row = 1}>(of.program());
    EXPECT_NE(std::string{can_launch(p).what()}.find("too long for this tile's registers"),
              std::string::npos);
}

TEST(rows_verbs, behind_one_type) {
    equal_rows of{3, 64};
    const any_program hidden{of.program()};
    launch(of.s, hidden);
    of.expect_done();
}

} // namespace r9v_test
