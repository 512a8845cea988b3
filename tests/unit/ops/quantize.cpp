// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include <cmath>
#include <tests/unit/ops/evaluator.hpp>
#include <tests/unit/ops/float_math.hpp>

namespace {

using namespace r9v_test;
using r9v::host_tensor;
using r9v::index_t;
namespace rounding = r9v::rounding;

constexpr r9v::extents size{2, 5, 24};

/// Steps of 1/16 and 1/32, so that halves between two grid values occur.
std::vector<float> steps(index_t count) {
    std::vector<float> made;
    for (index_t i = 0; i < count; ++i)
        made.push_back(i % 3 == 0 ? 0.0625f : 0.03125f);
    return made;
}

std::int8_t to_int8(double x) {
    return static_cast<std::int8_t>(std::min(std::max(std::nearbyint(x), -128.0), 127.0));
}

/// Expects x / step(b, r, c) + zero on the grid of int8, rounded by the store.
template<class Make, class Step>
void expect_int8(Make make, Step step, double zero) {
    const grid x = random_grid(size, 61);
    const auto found = evaluated<r9v::reference_math, std::int8_t>(make, x);
    const auto narrow = evaluated<float_math, std::int8_t>(make, x);
    for (index_t b = 0, i = 0; b < size.batches; ++b)
        for (index_t r = 0; r < size.rows; ++r)
            for (index_t c = 0; c < size.columns; ++c, ++i) {
                const auto wanted = to_int8(x.at(b, r, c) / step(b, r, c) + zero);
                EXPECT_EQ(found[static_cast<std::size_t>(i)], wanted);
                EXPECT_EQ(narrow[static_cast<std::size_t>(i)], wanted);
            }
}

TEST(quantize, takes_every_parameter) {
    const auto v = steps(100);
    const float* p = v.data();
    const auto at = [&](index_t i) {
        return static_cast<double>(v[static_cast<std::size_t>(i)]);
    };
    expect_int8([] { return r9v::quantize(0.0625f); },
                [](index_t, index_t, index_t) { return 0.0625; }, 0);
    expect_int8([] { return r9v::quantize(0.0625f, 5); },
                [](index_t, index_t, index_t) { return 0.0625; }, 5);
    expect_int8([&] { return r9v::quantize(r9v::per_tensor(host_tensor{p, {1}}), -7); },
                [&](index_t, index_t, index_t) { return at(0); }, -7);
    expect_int8([&] { return r9v::quantize(r9v::per_row(host_tensor{p, {2, 5}})); },
                [&](index_t b, index_t r, index_t) { return at(5 * b + r); }, 0);
    expect_int8([&] { return r9v::quantize(r9v::per_column(host_tensor{p, {24}}), 3); },
                [&](index_t, index_t, index_t c) { return at(c); }, 3);
    expect_int8([&] { return r9v::quantize(r9v::per_group(host_tensor{p, {5, 3}}, 8), 1); },
                [&](index_t, index_t r, index_t c) { return at(3 * r + c / 8); }, 1);
    const std::vector<std::int8_t> zero{9};
    expect_int8(
        [&] { return r9v::quantize(0.0625f, r9v::per_tensor(host_tensor{zero.data(), {1}})); },
        [](index_t, index_t, index_t) { return 0.0625; }, 9);
}

TEST(quantize, with_a_type_rounds_in_place) {
    const grid x = random_grid(size, 62);
    std::vector<float> copy(x.values.size());
    const auto stored = evaluated(
        [&] {
            return r9v::quantize<std::int8_t>(0.04f, 0) |
                   r9v::tee(host_tensor{copy.data(), {2, 5, 24}});
        },
        x);
    EXPECT_EQ(stored, copy);
    for (std::size_t i = 0; i < copy.size(); ++i)
        EXPECT_EQ(stored[i], static_cast<float>(to_int8(x.values[i] / 0.04f)));

    const auto narrow = evaluated([] { return r9v::quantize<r9v::fp8_e4m3>(0.01f, 0); }, x);
    for (std::size_t i = 0; i < narrow.size(); ++i)
        EXPECT_EQ(static_cast<double>(narrow[i]),
                  r9v::to_double(r9v::from_double<r9v::fp8_e4m3>(x.values[i] / 0.01f)));
}

TEST(quantize, stochastic_rounding_is_unbiased_and_repeatable) {
    // 0.3 between the grid's 0 and 1: about 30 % become 1, whatever the run length.
    const grid x{{4, 50, 96}, std::vector<double>(4 * 50 * 96, 0.3)};
    const auto make = [](std::uint64_t seed) {
        return [seed] {
            return r9v::quantize<std::int8_t>(1, 0, rounding::stochastic{seed});
        };
    };
    const auto found = evaluated(make(7), x);
    double sum = 0;
    for (const float value : found) {
        EXPECT_TRUE(value == 0.0f || value == 1.0f);
        sum += static_cast<double>(value);
    }
    const double count = static_cast<double>(found.size());
    EXPECT_NEAR(sum / count, 0.3, 5 * std::sqrt(0.21 / count)); // five standard deviations
    EXPECT_EQ(found, evaluated(make(7), x));
    EXPECT_EQ(found, evaluated<float_math>(make(7), x));
    EXPECT_NE(found, evaluated(make(8), x));

    // Rows, columns and batches draw differently.
    const auto part = [&](std::size_t from, std::size_t length) {
        return std::vector<float>(found.begin() + static_cast<std::ptrdiff_t>(from),
                                  found.begin() + static_cast<std::ptrdiff_t>(from + length));
    };
    EXPECT_NE(part(0, 96), part(96, 96));
    EXPECT_NE(part(0, 48), part(48, 48));
    EXPECT_NE(part(0, 96), part(50 * 96, 96));
}

TEST(quantize, stochastic_rounding_keeps_grid_values_and_saturates) {
    const grid x{{1, 1, 6}, {3.0, -7.0, 1000.0, -1000.0, 0.0, 126.99999}};
    const auto found =
        evaluated([] { return r9v::quantize<std::int8_t>(1, 0, rounding::stochastic{1}); }, x);
    EXPECT_EQ(std::vector<float>(found.begin(), found.begin() + 5),
              (std::vector<float>{3, -7, 127, -128, 0}));
    EXPECT_GE(found[5], 126.0f);
    EXPECT_LE(found[5], 127.0f);
}

TEST(dequantize, inverts_quantize) {
    const auto v = steps(24);
    const host_tensor per_column{v.data(), {24}};
    const grid x = random_grid(size, 63);
    const auto found = evaluated(
        [&] { return r9v::dequantize(r9v::per_column(per_column), 3) | r9v::scale(1); }, x);
    expect_values(found, size, [&](index_t b, index_t r, index_t c) {
        return (x.at(b, r, c) - 3) * static_cast<double>(v[static_cast<std::size_t>(c)]);
    });
    expect_values(evaluated([] { return r9v::dequantize(0.25f); }, x), size,
                  [&](index_t b, index_t r, index_t c) { return x.at(b, r, c) * 0.25; });
}

} // namespace
