// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Copies against the reference: any strides and types, layouts turned both ways.
#include <r9v/copy.hpp>

#include "pool_test.hpp"

using namespace r9v;
using namespace r9v_test;

namespace {

struct copy_case {
    index_t n, h, w, c;
};
std::ostream& operator<<(std::ostream& to, const copy_case& g) {
    return to << "[" << g.n << ", " << g.h << ", " << g.w << ", " << g.c << "]";
}

std::vector<copy_case> random_copies(std::size_t count) {
    constexpr int sizes[] = {1, 2, 3, 7, 8, 9, 16, 20, 31, 40, 65};
    constexpr int channels[] = {1, 3, 4, 8, 16, 20, 33, 64, 80, 255};
    test_random random;
    std::vector<copy_case> cases{{1, 1, 1, 4096}, {1, 20, 20, 64}};
    while (cases.size() < count)
        cases.push_back(
            {random.between(1, 3), random.of(sizes), random.of(sizes), random.of(channels)});
    return cases;
}

TEST(copy, channels_to_the_end) {
    check_cases<half>(
        [](auto& m, const copy_case& g) {
            const auto x = m.template input<half>({g.n, g.c, g.h, g.w});
            const auto skip = m.template input<bf16>({g.n, g.h, g.w, g.c});
            return copy(channels_last(x) | relu()) | residual(skip) |
                   store(m.template output<half>({g.n, g.h, g.w, g.c}, {.padding = 8}));
        },
        random_copies(50));
}

TEST(copy, channels_to_the_front) {
    check_cases<half>(
        [](auto& m, const copy_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, {.padding = 4});
            return copy(x) | scale(0.5f) |
                   store(channels_last(m.template output<float>({g.n, g.c, g.h, g.w})));
        },
        random_copies(50));
}

/// Rows of padded maps are not merged; columns of strided ones are nobody's neighbours.
TEST(copy, padded_rows_and_strided_columns) {
    check_cases<half>(
        [](auto& m, const copy_case& g) {
            const bool strided = g.c % 2 == 0;
            const auto wide = m.template input<half>({g.n, g.c, g.h, strided ? 2 * g.w : g.w},
                                                     {.offset = 1, .padding = 3});
            auto x = channels_last(wide);
            x.extents[2] = g.w;
            if (strided) x.strides[2] = 2;
            return copy(x) | store(m.template output<half>({g.n, g.h, g.w, g.c}));
        },
        random_copies(40));
}

/// Dense operands count as one row; others row by row.
TEST(copy, one_type_to_another) {
    check_cases<half>(
        [](auto& m, const copy_case& g) {
            const placement place{.offset = g.n % 2, .padding = g.w % 2 == 0 ? 0 : 5};
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c}, place);
            const auto skip = m.template input<float>({g.n, g.h, g.w, g.c});
            return copy(x | scale(2.0f)) | residual(skip) | relu() |
                   store(m.template output<bf16>({g.n, g.h, g.w, g.c}));
        },
        random_copies(40));
}

/// Operands without heads or images are the same for all of them, also where all else is dense.
TEST(copy, operands_that_repeat) {
    check_cases<half>(
        [](auto& m, const copy_case& g) {
            const auto x = m.template input<half>({g.n, g.h, g.w, g.c});
            const auto of_images = m.template input<half>({g.n, g.w, g.c});
            const auto of_all = m.template input<half>({g.w, g.c});
            return copy(x) | residual(of_images) | mul(of_all) |
                   store(m.template output<half>({g.n, g.h, g.w, g.c}));
        },
        random_copies(30), 2);
}

TEST(copy, rows_with_statistics_in_place) {
    check_cases<float>(
        [](auto& m, const copy_case& g) {
            const auto x = m.template in_place<float>({g.h, g.c}, {.padding = 1});
            return copy(x) | scale(3.0f) | sum_rows(m.template output<float>({g.h})) |
                   absmax(m.template output<float>({1})) | store(x);
        },
        random_copies(20), 255, {.magnitude = 3});
}

} // namespace
