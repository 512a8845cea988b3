// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Rounding to integers, saturation, NaN, and the packed 4-bit pair.
#include <cmath>
#include <limits>
#include <tests/unit/numeric/formats.hpp>

template<class T>
class integer_type : public ::testing::Test {
protected:
    static T expected(double value) {
        if (std::isnan(value)) return 0;
        const double nearest = std::nearbyint(value); // to even: the default mode
        constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
        constexpr double high = static_cast<double>(std::numeric_limits<T>::max());
        return static_cast<T>(std::fmin(std::fmax(nearest, low), high));
    }
};
using integer_types = ::testing::Types<std::int8_t, std::uint8_t, std::int32_t>;
TYPED_TEST_SUITE(integer_type, integer_types);

TYPED_TEST(integer_type, rounds_quarters_to_nearest_even) {
    for (int quarters = -2400; quarters <= 2400; ++quarters) {
        const float value = static_cast<float>(quarters) / 4;
        ASSERT_EQ(r9v::from_float<TypeParam>(value), this->expected(quarters / 4.)) << value;
        ASSERT_EQ(r9v::from_double<TypeParam>(quarters / 4.), this->expected(quarters / 4.));
    }
}

TYPED_TEST(integer_type, rounds_and_saturates_random_floats) {
    for (float value : reference::random_floats(3, 500'000))
        ASSERT_EQ(r9v::from_float<TypeParam>(value), this->expected(static_cast<double>(value)))
            << value;
    for (float value : {0x1p23f, 0x1.000002p23f, 0x1p24f, 0x1p30f, 0x1.fffffep30f, 0x1p31f, 0x1p32f,
                        0x1p63f, 0x1p64f, INFINITY}) {
        ASSERT_EQ(r9v::from_float<TypeParam>(value), this->expected(static_cast<double>(value)));
        ASSERT_EQ(r9v::from_float<TypeParam>(-value), this->expected(static_cast<double>(-value)));
    }
}

TYPED_TEST(integer_type, rounds_doubles_once) {
    const double one_up = 0x1.0000000000001p0;
    for (int i = -300; i <= 300; ++i) {
        for (double value : {i + 0.5, (i + 0.5) * one_up, (i + 0.5) / one_up})
            ASSERT_EQ(r9v::from_double<TypeParam>(value), this->expected(value)) << value;
    }
    for (double value : {2147483646.5, 2147483647.4, 2147483647.5, -2147483648.5, -2147483649.5,
                         1e300, -1e300, 0x1p-1074, 0x1.fffffffffffffp-2})
        ASSERT_EQ(r9v::from_double<TypeParam>(value), this->expected(value)) << value;
}

TYPED_TEST(integer_type, nan_is_zero) {
    EXPECT_EQ(r9v::from_float<TypeParam>(std::nanf("")), 0);
    EXPECT_EQ(r9v::from_double<TypeParam>(-std::nan("")), 0);
    EXPECT_EQ(r9v::from_float_stochastic<TypeParam>(std::nanf(""), ~0u), 0);
}

TYPED_TEST(integer_type, every_integer_is_finite) {
    const TypeParam largest = std::numeric_limits<TypeParam>::max();
    EXPECT_TRUE(r9v::is_finite(largest));
    EXPECT_FALSE(r9v::is_nan(largest));
    EXPECT_FALSE(r9v::is_inf(largest));
    EXPECT_EQ(r9v::to_double(largest), static_cast<double>(largest));
    EXPECT_EQ(r9v::from_double<TypeParam>(r9v::to_double(largest)), largest);
}

TEST(int32_to_float, rounds_beyond_24_bits) {
    EXPECT_EQ(r9v::to_float(std::int32_t{16777217}), 16777216.f);
    EXPECT_EQ(r9v::to_float(std::int32_t{16777219}), 16777220.f);
    EXPECT_EQ(r9v::to_float(std::int32_t{-2147483647}), -0x1p31f);
}

TEST(int4x2, holds_two_signed_values_low_first) {
    for (int low = -8; low <= 7; ++low) {
        for (int high = -8; high <= 7; ++high) {
            const r9v::int4x2 pair = r9v::int4x2::pack(low, high);
            ASSERT_EQ(pair.bits, (low + 16) % 16 + (high + 16) % 16 * 16);
            ASSERT_EQ(pair.low(), low);
            ASSERT_EQ(pair.high(), high);
        }
    }
    EXPECT_EQ(r9v::int4x2::pack(-100, 100).bits, 0x78);
    EXPECT_EQ(r9v::int4x2::from_bits(0xf1).low(), 1);
    EXPECT_EQ(r9v::int4x2::from_bits(0xf1).high(), -1);
}
