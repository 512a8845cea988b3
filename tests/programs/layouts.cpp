// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Both weight layouts, every layout of x and of the result, both element types.

#include "program_test.hpp"

namespace r9v_test {

using r9v::bf16;
using r9v::bias;
using r9v::gemm;
using r9v::half;
using r9v::layout;
using r9v::relu;
using r9v::store;

namespace {

template<class Element, layout X, layout W, layout Y>
void check_layouts(placement x_place = {}, placement w_place = {}, placement y_place = {}) {
    const auto make = [=](auto memory, const shape& s) {
        auto x = memory.template input<Element, X>({s.m, s.k}, x_place);
        auto w = memory.template input<Element, W>({s.n, s.k}, w_place);
        auto b = memory.template input<Element>({s.n});
        auto y = memory.template output<Element, Y>({s.m, s.n}, y_place);
        return gemm(x, w) | bias(b) | relu() | store(y);
    };
    check_program<Element>(make, random_shapes(6));
}

constexpr layout row = layout::row_major;
constexpr layout column = layout::column_major;
constexpr layout any = layout::strided;

} // namespace

TEST(programs_layouts, half_weights_nk) {
    check_layouts<half, row, row, row>();
}
TEST(programs_layouts, half_weights_kn) {
    check_layouts<half, row, column, row>();
}
TEST(programs_layouts, bf16_weights_nk) {
    check_layouts<bf16, row, row, row>();
}
TEST(programs_layouts, bf16_weights_kn) {
    check_layouts<bf16, row, column, row>();
}
TEST(programs_layouts, x_column_major) {
    check_layouts<half, column, row, row>();
}
TEST(programs_layouts, x_and_weights_column_major) {
    check_layouts<half, column, column, row>();
}
TEST(programs_layouts, result_column_major) {
    check_layouts<half, row, row, column>();
}
TEST(programs_layouts, everything_strided) {
    check_layouts<bf16, any, any, any>();
}

// The same compiled programs over views whose rows start at odd addresses.
TEST(programs_layouts, odd_offsets) {
    check_layouts<half, row, row, row>({.offset = 1}, {.offset = 3}, {.offset = 5});
    check_layouts<half, row, column, row>({.offset = 1}, {.offset = 3}, {.offset = 5});
}
TEST(programs_layouts, odd_row_strides) {
    check_layouts<half, row, row, row>({.padding = 1}, {.padding = 3}, {.padding = 5});
    check_layouts<half, row, column, row>({.padding = 1}, {.padding = 3}, {.padding = 5});
    check_layouts<bf16, row, row, row>({.padding = 7}, {.padding = 1}, {.padding = 9});
}
TEST(programs_layouts, wide_row_strides) {
    check_layouts<half, row, row, row>({.padding = 8}, {.padding = 16}, {.padding = 24});
    check_layouts<bf16, row, column, row>({.padding = 8}, {.padding = 16}, {.padding = 24});
}

// The last row of a [k, n] weight with n = 8 ends at the last byte of its allocation.
TEST(programs_layouts, narrow_kn_weight_at_the_end_of_memory) {
    const auto make = [](auto memory, const shape& s) {
        auto x = memory.template input<half>({s.m, s.k});
        auto w = memory.template input<half, layout::column_major>({s.n, s.k});
        auto b = memory.template input<half>({s.n});
        auto y = memory.template output<half>({s.m, s.n});
        return gemm(x, w) | bias(b) | relu() | store(y);
    };
    check_program<half>(make, {{1, 8, 64}, {16, 8, 33}, {128, 8, 96}, {256, 8, 256}, {3, 8, 1}});
}

// Tiles of every size, interior and edge blocks alike.
TEST(programs_layouts, tile_boundaries) {
    const auto make = [](auto memory, const shape& s) {
        auto x = memory.template input<half>({s.m, s.k});
        auto w = memory.template input<half>({s.n, s.k});
        auto b = memory.template input<half>({s.n});
        auto y = memory.template output<half>({s.m, s.n});
        return gemm(x, w) | bias(b) | relu() | store(y);
    };
    check_program<half>(make, {{256, 256, 64},
                               {512, 128, 32},
                               {511, 264, 40},
                               {257, 129, 8},
                               {128, 384, 72},
                               {1, 1, 1},
                               {300, 520, 24},
                               {640, 256, 128}});
    check_program<half>(make, {{1, 1, 0}, {17, 40, 0}, {130, 136, 0}}); // sums of nothing
    check_program<half>(make, {{1, 4097, 9}, {4097, 1, 8}, {2, 3, 4097}, {16, 16, 1000}});
}

// Infinities and NaN stay in the rows and columns that they belong to; tiny values count.
TEST(programs_layouts, special_values) {
    const auto make = [](auto memory, const shape& s) {
        const values some{.special = 0.01};
        auto x = memory.template input<half>({s.m, s.k}, {.padding = 1}, some);
        auto w = memory.template input<half>({s.n, s.k}, {.padding = 3}, some);
        auto b = memory.template input<half>({s.n}, {}, some);
        auto y = memory.template output<half>({s.m, s.n});
        return gemm(x, w) | bias(b) | relu() | store(y);
    };
    check_program<half>(make, {{1, 100, 7}, {16, 33, 40}, {130, 129, 9}, {200, 136, 33}});
}

} // namespace r9v_test
