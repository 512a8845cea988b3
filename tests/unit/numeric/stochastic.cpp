// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Stochastic rounding: bounded by the two neighbours, right on average, and by the documented rule.
#include <r9v/numeric/random.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <tests/unit/numeric/formats.hpp>

template<class T>
class stochastic_rounding : public ::testing::Test {
protected:
    static constexpr reference::format type = definition<T>;

    static double round(double value, std::uint32_t random) {
        const T result = r9v::from_float_stochastic<T>(static_cast<float>(value), random);
        return type.decode(result.bits);
    }

    /// Floats of both signs over the whole finite range, denormals well represented.
    static std::vector<double> values() {
        std::vector<double> result;
        std::mt19937 generator{5};
        for (int i = 0; i < 300; ++i) {
            const auto code = static_cast<unsigned>(generator() % type.largest());
            const double low = type.decode(i % 3 == 0 ? code % (3u << type.mantissa_bits) : code);
            const double high = type.decode(type.below(low) + 1);
            const double share = static_cast<double>(generator()) * 0x1p-32;
            const auto value = static_cast<float>(low + share * (high - low));
            result.push_back(static_cast<double>(i % 2 == 0 ? value : -value));
        }
        return result;
    }
};
TYPED_TEST_SUITE(stochastic_rounding, narrow_types);

TYPED_TEST(stochastic_rounding, gives_one_of_the_two_neighbours) {
    for (double value : this->values()) {
        const unsigned code = this->type.below(value);
        const double sign = value < 0 ? -1 : 1;
        const double low = this->type.decode(code) * sign;
        const double high = this->type.decode(code + 1) * sign;
        ASSERT_EQ(this->round(value, 0), low) << value;
        for (std::uint32_t i = 0; i < 64; ++i) {
            const double result = this->round(value, r9v::random_bits(1, i));
            ASSERT_TRUE(result == low || result == high) << value << " became " << result;
        }
    }
}

// Over evenly spread random words the mean is exact up to their spacing and the resolution.
TYPED_TEST(stochastic_rounding, has_the_value_as_its_mean) {
    constexpr int count = 4096;
    for (double value : this->values()) {
        const unsigned code = this->type.below(value);
        const double step = this->type.decode(code + 1) - this->type.decode(code);
        double sum = 0;
        for (std::uint32_t i = 0; i < count; ++i)
            sum += (this->round(value, i << 20 | 0x80000u) - value) / step;
        const double resolution = std::ldexp(1., this->type.mantissa_bits - 23);
        ASSERT_LE(std::fabs(sum / count), 1. / count + resolution) << value;
    }
}

TYPED_TEST(stochastic_rounding, is_unbiased_with_the_random_bits_of_a_seed) {
    constexpr int count = 20'000;
    const std::vector<double> all = this->values();
    for (std::size_t v = 0; v < 40; ++v) {
        const double value = all[v];
        const unsigned code = this->type.below(value);
        const double low = std::fabs(this->type.decode(code));
        const double step = this->type.decode(code + 1) - low;
        const double up = (std::fabs(value) - low) / step;
        double ups = 0;
        for (std::uint32_t i = 0; i < count; ++i)
            ups += std::fabs(this->round(value, r9v::random_bits(v, i))) > low;
        const double deviation = std::sqrt(up * (1 - up) * count) + 1;
        ASSERT_LE(std::fabs(ups - up * count), 5 * deviation) << value;
    }
}

// The rule of v_cvt_sr_fp8_f32 in the ISA's terms, for any type: with d = 23 - mantissa bits, the
// value in units of its last place, cut to d fractional bits, plus the upper d random bits as a
// fraction, rounded down.
TYPED_TEST(stochastic_rounding, follows_the_rule_of_gfx12) {
    const double scale = std::ldexp(1., 23 - this->type.mantissa_bits);
    std::mt19937 generator{17};
    for (double value : this->values()) {
        const unsigned code = this->type.below(value);
        const double unit = this->type.decode(code + 1) - this->type.decode(code);
        const double cut = std::floor(std::fabs(value) / unit * scale) / scale;
        for (int i = 0; i < 64; ++i) {
            const auto random = static_cast<std::uint32_t>(generator());
            const double fraction = std::floor(random * 0x1p-32 * scale) / scale;
            const double expected = std::floor(cut + fraction) * unit;
            ASSERT_EQ(std::fabs(this->round(value, random)), expected) << value << " " << random;
        }
    }
}

TYPED_TEST(stochastic_rounding, saturates_finite_values_and_never_flips_a_sign) {
    const double largest = this->type.decode(this->type.largest());
    for (std::uint32_t random : {0u, 1u, 0x80000000u, ~0u}) {
        EXPECT_EQ(this->round(largest, random), largest);
        EXPECT_EQ(this->round(largest * (1 + 0x1p-9), random), largest);
        EXPECT_EQ(this->round(0x1.fffffep127, random), largest);
        EXPECT_EQ(this->round(-0x1.fffffep127, random), -largest);
        EXPECT_TRUE(std::signbit(this->round(-0., random)));
        EXPECT_FALSE(std::signbit(this->round(0x1p-149, random)));
    }
    const double infinity = this->type.saturates ? largest : double{INFINITY};
    EXPECT_EQ(this->round(-double{INFINITY}, 0), -infinity);
}

TEST(stochastic_integers, are_bounded_and_right_on_average) {
    for (float value : {0.25f, 0.999f, -0.001f, 2.5f, -7.125f, 100.75f, -127.9f, 126.01f}) {
        double sum = 0;
        for (std::uint32_t i = 0; i < 4096; ++i) {
            const float result = r9v::from_float_stochastic<std::int8_t>(value, i << 20 | 0x80000u);
            ASSERT_TRUE(result == std::floor(value) || result == std::ceil(value)) << value;
            sum += static_cast<double>(result - value);
        }
        EXPECT_LE(std::fabs(sum / 4096), 1. / 4096) << value;
    }
    for (std::uint32_t random : {0u, 0x80000000u, ~0u}) {
        EXPECT_EQ(r9v::from_float_stochastic<std::int8_t>(127.f, random), 127);
        EXPECT_EQ(r9v::from_float_stochastic<std::int8_t>(127.9f, random), 127);
        EXPECT_EQ(r9v::from_float_stochastic<std::int8_t>(-1e9f, random), -128);
        EXPECT_EQ(r9v::from_float_stochastic<std::uint8_t>(-0.9f, random), 0);
        EXPECT_EQ(r9v::from_float_stochastic<std::uint8_t>(INFINITY, random), 255);
        EXPECT_EQ(r9v::from_float_stochastic<std::int32_t>(0x1p24f, random), 1 << 24);
        EXPECT_EQ(r9v::from_float_stochastic<float>(1.1f, random), 1.1f);
    }
}
