// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Row programs whose results hang on infinities, NaN and exact differences, compiled with flags
// that make light of them.

#include <tests/programs/rows_test.hpp>

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

TEST(flags_rows, softmax_of_special_values) {
    check_rows(
        [](auto memory, const row_shape& s) {
            const values special{.low = -8, .high = 8, .special = 0.01};
            auto x = memory.template input<float>({s.rows, s.columns}, {}, special);
            auto sums = memory.template output<float>({s.rows});
            auto y = memory.template output<float>({s.rows, s.columns});
            return softmax(x | window(40, 2)) | log_sum_exp_rows(sums) | store(y);
        },
        [](const row_shape& s) {
            return row_bound{logarithm_bound(s, 8).absolute, softmax_bound(s, 8).relative};
        },
        {{1, 1, 3, 1}, {1, 1, 9, 31}, {1, 1, 1, 300}});
}

TEST(flags_rows, layer_norm_far_from_zero) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x =
                memory.template input<float>({s.rows, s.columns}, {}, {.low = 9999, .high = 10001});
            auto y = memory.template output<float>({s.rows, s.columns});
            return layer_norm(x) | store(y);
        },
        [](const row_shape& s) { return norm_bound(s, 4); }, {{1, 1, 5, 31}, {1, 1, 1, 301}});
}

} // namespace r9v_test
