// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// softmax, log_softmax and log_sum_exp against the reference: types, axes, every way to share rows.

#include "rows_test.hpp"

namespace r9v_test {

using namespace r9v; // NOLINT(google-build-using-namespace): the vocabulary is what is tested

TEST(rows_softmax, halves) {
    check_rows(
        [](auto memory, const row_shape& s) {
            auto x = memory.template input<half>({s.rows, s.columns}, {}, {.low = -8, .high = 8});
            auto y = memory.template output<half>({s.rows, s.columns});
            return softmax(x) | store(y);
        },
        [](const row_shape& s) { return softmax_bound(s, 8); }, row_shapes());
}

} // namespace r9v_test
