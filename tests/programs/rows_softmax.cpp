// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// softmax, log_softmax and log_sum_exp against the reference: types, axes, every way to share rows.

#include "rows_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

constexpr values wide{.low = -8, .high = 8};
row_bound plain(const row_shape& s) {
    return softmax_bound(s, 8);
}

/// float to float, of values that `value_of(position, random value)` makes.
template<class ValueOf>
void check_floats(const ValueOf& value_of, double magnitude, const std::vector<row_shape>& shapes) {
    check_rows(
        [&](auto memory, const row_shape& s) {
            auto x = memory.template filled<float>(
                {s.rows, s.columns},
                [&](const position& at, double random) { return value_of(at, random, s); }, {},
                wide);
            auto y = memory.template output<float>({s.rows, s.columns});
            return softmax(x) | store(y);
        },
        [=](const row_shape& s) { return softmax_bound(s, magnitude); }, shapes);
}

std::vector<row_shape> few_shapes() {
    return {{1, 1, 3, 1}, {1, 1, 65, 31}, {1, 1, 2, 1000}, {1, 1, 3, 4097}, {1, 1, 1, 16385}};
}

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST(rows_softmax, halves) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<half>({s.rows, s.columns}, {}, wide);
            auto y = memory.template output<half>({s.rows, s.columns});
            return softmax(x) | store(y);
        },
        plain, row_shapes());
}

TEST(rows_softmax, floats) {
    check_floats([](const position&, double random, const row_shape&) { return random; }, 8,
                 row_shapes());
}

TEST(rows_softmax, large_logits) {
    check_floats(
        [](const position& at, double random, const row_shape&) {
            return at[2] % 2 == 0 ? std::copysign(60000, random) : 60000 + std::round(random);
        },
        60000, few_shapes());
}

TEST(rows_softmax, equal_logits) {
    check_floats([](const position& at, double,
                    const row_shape&) { return at[2] % 2 == 0 ? -60000.0 : 3e38; },
                 1, few_shapes());
}

// Rows of -inf alone, rows with one value that counts, rows with many -inf.
TEST(rows_softmax, minus_infinity_does_not_count) {
    check_floats(
        [](const position& at, double random, const row_shape& s) {
            if (at[2] % 3 == 0) return -infinity;
            if (at[2] % 3 == 1) return at[3] == s.columns / 2 ? -60000.0 : -infinity;
            return random < 4 ? -infinity : random;
        },
        8, few_shapes());
}

TEST(rows_softmax, nan_and_infinity_reach_their_row_alone) {
    check_floats(
        [](const position& at, double random, const row_shape& s) {
            const bool here = at[3] == (7 * at[2]) % s.columns;
            if (here && at[2] % 4 == 1) return std::numeric_limits<double>::quiet_NaN();
            if (here && at[2] % 4 == 2) return infinity;
            return random;
        },
        8, few_shapes());
}

// Columns next to each other in memory are rows of the softmax.
TEST(rows_softmax, another_axis) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<bf16>({s.columns, s.rows}, {.padding = 3}, wide);
            auto y = memory.template output<bf16>({s.columns, s.rows}, {.padding = 5});
            return softmax(transposed(x) | scale(0.5f)) | store(transposed(y));
        },
        plain, row_shapes());
}

TEST(rows_softmax, strided_axes) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<half, layout::strided>({s.rows, s.columns},
                                                                  {.padding = 1}, wide);
            auto y =
                memory.template output<float, layout::strided>({s.rows, s.columns}, {.padding = 2});
            return softmax(x) | scale(per_row(memory.template input<float>({s.rows}))) | store(y);
        },
        plain, row_shapes());
}

TEST(rows_softmax, to_fp8) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x =
                memory.template input<bf16>({s.rows, s.columns}, {.offset = 1, .padding = 1}, wide);
            auto y = memory.template output<fp8_e4m3>({s.rows, s.columns}, {.padding = 3});
            return softmax(x | scale(2.0f)) | quantize(1.0f / 256) | store(y);
        },
        [](const row_shape& s) { return softmax_bound(s, 16); }, row_shapes());
}

TEST(rows_softmax, batches_to_bytes_and_floats) {
    auto shapes = row_shapes(20000);
    for (row_shape& s : shapes)
        if (s.rows <= 64 && s.columns < long_row) s.batches = 3;
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<float>({s.batches, s.rows, s.columns}, {}, wide);
            auto copy = memory.template output<float>({s.batches, s.rows, s.columns});
            auto y = memory.template output<std::uint8_t>({s.batches, s.rows, s.columns});
            return softmax(x) | tee(copy) | quantize(1.0f / 255) | store(y);
        },
        [](const row_shape& s) { return softmax_bound(s, 8); }, shapes);
}

TEST(rows_log_softmax, to_floats) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<bf16>({s.rows, s.columns}, {.padding = 8}, wide);
            auto y = memory.template output<float>({s.rows, s.columns});
            return log_softmax(x) | store(y);
        },
        [](const row_shape& s) { return logarithm_bound(s, 8); }, row_shapes());
}

TEST(rows_log_softmax, across_to_halves) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<float>({s.columns, s.rows}, {}, wide);
            auto y = memory.template output<half>({s.rows, s.columns});
            return log_softmax(transposed(x)) | store(y);
        },
        [](const row_shape& s) { return logarithm_bound(s, 8); }, row_shapes());
}

TEST(rows_log_sum_exp, one_column) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<half>({s.rows, s.columns}, {}, wide);
            auto y = memory.template output<float>({s.rows, index_t{1}});
            return log_sum_exp(x | scale(0.5f)) | scale(2.0f) | store(y);
        },
        [](const row_shape& s) { return logarithm_bound(s, 8, 1); }, row_shapes());
}

TEST(rows_log_sum_exp, nothing_to_do) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<half>({s.rows, s.columns}, {}, wide);
            auto y = memory.template output<float>({s.rows, index_t{1}});
            return log_sum_exp(x | scale(0.5f)) | scale(2.0f) | store(y);
        },
        plain, {{1, 1, 0, 5}, {1, 1, 3, 0}, {1, 1, 0, 0}});
}

} // namespace r9v_test
