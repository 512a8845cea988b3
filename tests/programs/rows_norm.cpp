// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// rms_norm and layer_norm against the reference: types, axes, data far from zero, row statistics
// and taps, every way to share rows.

#include "rows_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

namespace {

/// Norms of uniform values are below 2; of a row whose values differ by luck alone, a few more.
row_bound plain(const row_shape& s) {
    return norm_bound(s, 4);
}

} // namespace

TEST(rows_rms_norm, halves_with_weights) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<half>({s.rows, s.columns});
            auto w = memory.template input<half>({s.columns});
            auto y = memory.template output<half>({s.rows, s.columns});
            return rms_norm(x, {.epsilon = 1e-6f}) | scale(per_column(w)) | store(y);
        },
        plain, row_shapes());
}

// The residual stream of a decoder layer: added to, kept, and normalised.
TEST(rows_rms_norm, of_a_residual_in_place) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<bf16>({s.rows, s.columns});
            auto stream = memory.template in_place<float>({s.rows, s.columns});
            auto w = memory.template input<float>({s.columns});
            auto y = memory.template output<bf16>({s.rows, s.columns});
            return rms_norm(x | residual(stream) | tee(stream)) | scale(per_column(w)) | store(y);
        },
        [](const row_shape& s) { return norm_bound(s, 4, 4, 1); }, row_shapes(100000, 4097));
}

TEST(rows_rms_norm, of_a_residual_kept_elsewhere) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<half>({s.rows, s.columns});
            auto r = memory.template input<half>({s.rows, s.columns});
            auto kept = memory.template output<half>({s.rows, s.columns});
            auto inverse = memory.template output<float>({s.rows});
            auto y = memory.template output<half>({s.rows, s.columns});
            return rms_norm(x | residual(r) | tee(kept)) | inverse_deviation_rows(inverse) |
                   store(y);
        },
        [](const row_shape& s) { return norm_bound(s, 4, 4, 1); }, row_shapes());
}

TEST(rows_rms_norm, to_bytes_with_a_step_a_row) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<bf16>({s.rows, s.columns}, {.padding = 1});
            auto largest = memory.template output<float>({s.rows});
            auto y = memory.template output<std::int8_t>({s.rows, s.columns});
            auto step = memory.template input<float>({s.rows}, {}, {.low = 0.01, .high = 0.02});
            return rms_norm(x) | absmax_rows(largest) | quantize(per_row(step)) | store(y);
        },
        [](const row_shape& s) {
            const row_bound bound = plain(s);
            return row_bound{100 * bound.absolute, 4 * bound.relative};
        },
        row_shapes());
}

TEST(rows_rms_norm, another_axis) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<float>({s.columns, s.rows}, {.padding = 1});
            auto y = memory.template output<float>({s.columns, s.rows});
            return rms_norm(transposed(x)) | store(transposed(y));
        },
        plain, row_shapes());
}

// An offset of 10000 leaves 10 bits behind the point in a float: the norm keeps all of them.
TEST(rows_layer_norm, far_from_zero) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x =
                memory.template input<float>({s.rows, s.columns}, {}, {.low = 9999, .high = 10001});
            auto gamma = memory.template input<float>({s.columns});
            auto beta = memory.template input<float>({s.columns});
            auto y = memory.template output<float>({s.rows, s.columns});
            return layer_norm(x) | scale_shift(gamma, beta) | store(y);
        },
        plain, row_shapes());
}

// The first value of a row is no guide to the others.
TEST(rows_layer_norm, behind_an_outlier) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template filled<float>(
                {s.rows, s.columns},
                [](const position& at, double random) { return at[3] == 0 ? 30000.0 : random; });
            auto gamma = memory.template input<float>({s.columns});
            auto beta = memory.template input<float>({s.columns});
            auto y = memory.template output<float>({s.rows, s.columns});
            return layer_norm(x) | scale_shift(gamma, beta) | store(y);
        },
        [](const row_shape& s) { return norm_bound(s, std::sqrt(static_cast<double>(s.columns))); },
        row_shapes());
}

TEST(rows_layer_norm, in_place_with_statistics) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x =
                memory.template in_place<half>({s.rows, s.columns}, {.offset = 3, .padding = 5});
            auto mean = memory.template output<float>({s.rows});
            auto inverse = memory.template output<float>({s.rows});
            return layer_norm(x) | mean_rows(mean) | inverse_deviation_rows(inverse) | store(x);
        },
        plain, row_shapes());
}

TEST(rows_layer_norm, another_axis_with_sums) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<bf16>({s.columns, s.rows});
            auto sums = memory.template output<float>({s.rows});
            auto squares = memory.template output<float>({s.rows});
            auto largest = memory.template output<float>({index_t{1}});
            auto y = memory.template output<bf16>({s.columns, s.rows});
            return layer_norm(transposed(x)) | map([](auto v) { return v + 1.0f; }) |
                   sum_rows(sums) | sum_squares_rows(squares) | absmax(largest) |
                   store(transposed(y));
        },
        [](const row_shape& s) {
            const row_bound bound = plain(s);
            return row_bound{bound.absolute * static_cast<double>(s.columns), 16 * bound.relative};
        },
        row_shapes(100000, 4097));
}

TEST(rows_layer_norm, to_unsigned_bytes) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<float, layout::strided>({s.rows, s.columns});
            auto y = memory.template output<std::uint8_t>({s.rows, s.columns}, {.padding = 1});
            return layer_norm(x | scale(3.0f)) | quantize(0.02f, 128.0f) | store(y);
        },
        [](const row_shape& s) {
            const row_bound bound = norm_bound(s, 4, 4, 1);
            return row_bound{50 * bound.absolute, bound.relative};
        },
        row_shapes());
}

} // namespace r9v_test
