// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <limits>
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;

constexpr r9v::extents size{1, 4, 21};

template<class Op>
int tensors_of(const Op& op) {
    int count = 0;
    op.visit_operands([&](const char*, const auto&, r9v::access) { ++count; });
    return count;
}

TEST(optional, does_nothing_without_a_tensor) {
    const grid x = random_grid(size, 51);
    const host_tensor<const float, 1> none{};
    const auto op = r9v::optional(r9v::bias(none));
    EXPECT_EQ(tensors_of(op), 0);
    expect_values(evaluated([&] { return op | r9v::scale(2); }, x), size,
                  [&](index_t b, index_t r, index_t c) { return 2 * x.at(b, r, c); });
    const host_tensor<const float, 2> no_matrix{};
    EXPECT_EQ(evaluated([&] { return r9v::optional(r9v::residual(no_matrix)); }, x),
              evaluated([&] { return r9v::scale(1); }, x));
}

TEST(optional, is_the_op_with_one) {
    const grid x = random_grid(size, 52);
    const auto v = random_values(21, 53);
    const host_tensor b{v.data(), {21}};
    EXPECT_EQ(tensors_of(r9v::optional(r9v::bias(b))), 1);
    EXPECT_EQ(evaluated([&] { return r9v::optional(r9v::bias(b)); }, x),
              evaluated([&] { return r9v::bias(b); }, x));
    EXPECT_EQ(evaluated<float_math>([&] { return r9v::optional(r9v::bias(b)); }, x),
              evaluated<float_math>([&] { return r9v::bias(b); }, x));
}

TEST(optional, one_missing_tensor_of_two_is_enough) {
    const auto v = random_values(21, 54);
    const host_tensor<const float, 1> some{v.data(), {21}};
    const auto op = r9v::optional(r9v::scale_shift(some, host_tensor<const float, 1>{}));
    const grid x = random_grid(size, 55);
    EXPECT_EQ(evaluated([&] { return op; }, x), evaluated([&] { return r9v::scale(1); }, x));
}

TEST(optional, taps_may_be_missing_too) {
    grid x = random_grid(size, 56);
    std::vector<float> copy(x.values.size());
    const host_tensor to{copy.data(), {4, 21}};
    const auto untouched =
        evaluated([&] { return r9v::optional(r9v::tee(to)) | r9v::scale(2); }, x);
    for (std::size_t i = 0; i < copy.size(); ++i) {
        EXPECT_EQ(static_cast<double>(copy[i]), x.values[i]);
        EXPECT_EQ(static_cast<double>(untouched[i]), 2 * x.values[i]);
    }
    EXPECT_EQ(evaluated([] { return r9v::optional(r9v::tee(host_tensor<float, 2>{})); }, x), copy);

    x.values[30] = std::numeric_limits<double>::infinity();
    std::uint64_t report = ~0ull;
    const auto find = r9v::optional(r9v::find_nonfinite(host_tensor{&report, {1}}));
    static_assert(decltype(find)::initial_byte == 0xff);
    evaluated([&] { return find | r9v::scale(1); }, x);
    EXPECT_EQ(report, 30u);
}

} // namespace
