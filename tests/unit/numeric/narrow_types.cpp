// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Every code of every narrow type read and written back, and every rounding edge from float.
#include <cmath>
#include <cstdlib>
#include <tests/unit/numeric/formats.hpp>
#include <type_traits>

template<class T>
class narrow_type : public ::testing::Test {};
TYPED_TEST_SUITE(narrow_type, narrow_types);

TYPED_TEST(narrow_type, is_plain_storage) {
    EXPECT_TRUE(std::is_trivially_copyable_v<TypeParam>);
    EXPECT_TRUE(std::is_trivially_default_constructible_v<TypeParam>);
    EXPECT_TRUE(std::is_standard_layout_v<TypeParam>);
    EXPECT_FALSE((std::is_constructible_v<TypeParam, int>)); // the number one, or code one?
    EXPECT_FALSE((std::is_convertible_v<float, TypeParam>));
}

TYPED_TEST(narrow_type, every_code_reads_as_defined) {
    const reference::format type = definition<TypeParam>;
    for (unsigned code = 0; code < 2 * type.sign(); ++code) {
        const TypeParam value = from_code<TypeParam>(code);
        const double expected = type.decode(code);
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(r9v::to_float(value))) << code;
            ASSERT_TRUE(std::isnan(r9v::to_double(value))) << code;
            continue;
        }
        ASSERT_EQ(reference::bits_of(r9v::to_float(value)),
                  reference::bits_of(static_cast<float>(expected)))
            << code;
        ASSERT_EQ(reference::bits_of(r9v::to_double(value)), reference::bits_of(expected)) << code;
    }
}

TYPED_TEST(narrow_type, every_code_is_classified) {
    const reference::format type = definition<TypeParam>;
    for (unsigned code = 0; code < 2 * type.sign(); ++code) {
        const TypeParam value = from_code<TypeParam>(code);
        const double expected = type.decode(code);
        ASSERT_EQ(r9v::is_nan(value), std::isnan(expected)) << code;
        ASSERT_EQ(r9v::is_inf(value), std::isinf(expected)) << code;
        ASSERT_EQ(r9v::is_finite(value), std::isfinite(expected)) << code;
    }
}

TYPED_TEST(narrow_type, every_finite_code_survives_the_round_trip) {
    const reference::format type = definition<TypeParam>;
    for (unsigned code = 0; code < 2 * type.sign(); ++code) {
        const TypeParam value = from_code<TypeParam>(code);
        if (!std::isfinite(type.decode(code))) continue;
        ASSERT_EQ(r9v::from_float<TypeParam>(r9v::to_float(value)).bits, code);
        ASSERT_EQ(r9v::from_double<TypeParam>(r9v::to_double(value)).bits, code);
        ASSERT_EQ(r9v::from_float_stochastic<TypeParam>(r9v::to_float(value), ~0u).bits, code);
    }
}

TYPED_TEST(narrow_type, rounds_every_edge_to_nearest_even) {
    const reference::format type = definition<TypeParam>;
    for (float value : reference::edge_floats(type)) {
        const unsigned expected = type.nearest(static_cast<double>(value));
        ASSERT_EQ(r9v::from_float<TypeParam>(value).bits, expected) << value;
        ASSERT_EQ(r9v::from_double<TypeParam>(static_cast<double>(value)).bits, expected) << value;
    }
}

TYPED_TEST(narrow_type, rounds_random_floats_to_nearest_even) {
    const reference::format type = definition<TypeParam>;
    for (float value : reference::random_floats(20240229, 400'000)) {
        const unsigned expected = type.nearest(static_cast<double>(value));
        ASSERT_EQ(r9v::from_float<TypeParam>(value).bits, expected) << value;
    }
}

TYPED_TEST(narrow_type, rounds_every_half_to_nearest_even) {
    const reference::format type = definition<TypeParam>;
    for (unsigned code = 0; code < 65536; ++code) {
        const double value = reference::half.decode(code);
        if (std::isnan(value)) continue;
        const float source = r9v::to_float(r9v::half::from_bits(static_cast<std::uint16_t>(code)));
        ASSERT_EQ(r9v::from_float<TypeParam>(source).bits, type.nearest(value)) << value;
    }
}

TYPED_TEST(narrow_type, nan_stays_nan) {
    for (std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu,
                               0x7f802000u, 0x7fa12345u}) {
        const float value = reference::float_of(bits);
        const TypeParam narrow = r9v::from_float<TypeParam>(value);
        EXPECT_TRUE(std::isnan(definition<TypeParam>.decode(narrow.bits))) << bits;
        EXPECT_TRUE(r9v::is_nan(r9v::from_double<TypeParam>(static_cast<double>(value)))) << bits;
        EXPECT_TRUE(r9v::is_nan(r9v::from_float_stochastic<TypeParam>(value, 0x12345678u))) << bits;
    }
}

TEST(nan_codes, keep_sign_and_upper_payload_in_half_and_bf16) {
    EXPECT_EQ(r9v::from_float<r9v::half>(reference::float_of(0x7fc00000)).bits, 0x7e00);
    EXPECT_EQ(r9v::from_float<r9v::half>(reference::float_of(0xffc00000)).bits, 0xfe00);
    EXPECT_EQ(r9v::from_float<r9v::half>(reference::float_of(0x7f800001)).bits, 0x7e00);
    EXPECT_EQ(r9v::from_float<r9v::half>(reference::float_of(0x7f802000)).bits, 0x7e01);
    EXPECT_EQ(r9v::from_float<r9v::bf16>(reference::float_of(0xffc12345)).bits, 0xffc1);
    EXPECT_EQ(r9v::from_float<r9v::bf16>(reference::float_of(0x7f800001)).bits, 0x7fc0);
    EXPECT_EQ(reference::bits_of(r9v::to_float(from_code<r9v::half>(0xfc01))), 0xffc02000u);
    EXPECT_EQ(reference::bits_of(r9v::to_float(from_code<r9v::bf16>(0x7f81))), 0x7f810000u);
}

TEST(nan_codes, are_one_per_type_in_fp8) {
    for (std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u}) {
        const float value = reference::float_of(bits);
        EXPECT_EQ(r9v::from_float<r9v::fp8_e4m3>(value).bits, 0xff);
        EXPECT_EQ(r9v::from_float<r9v::fp8_e5m2>(value).bits, 0xfe);
    }
    for (unsigned code : {0x7fu, 0xffu})
        EXPECT_EQ(reference::bits_of(r9v::to_float(from_code<r9v::fp8_e4m3>(code))), 0xffc00000u);
    for (unsigned code : {0x7du, 0x7eu, 0x7fu, 0xfdu, 0xfeu, 0xffu})
        EXPECT_EQ(reference::bits_of(r9v::to_float(from_code<r9v::fp8_e5m2>(code))), 0xffc00000u);
}

TEST(saturation, of_fp8_stops_at_the_largest_finite_value) {
    for (float value : {448.f, 463.9f, 464.f, 480.f, 1e9f, INFINITY}) {
        EXPECT_EQ(r9v::from_float<r9v::fp8_e4m3>(value).bits, 0x7e) << value;
        EXPECT_EQ(r9v::from_float<r9v::fp8_e4m3>(-value).bits, 0xfe) << value;
    }
    for (float value : {57344.f, 61440.f, 65536.f, 1e9f, INFINITY}) {
        EXPECT_EQ(r9v::from_float<r9v::fp8_e5m2>(value).bits, 0x7b) << value;
        EXPECT_EQ(r9v::from_float<r9v::fp8_e5m2>(-value).bits, 0xfb) << value;
    }
}

TEST(overflow, of_half_and_bf16_is_infinite_from_the_middle_on) {
    EXPECT_EQ(r9v::from_float<r9v::half>(65519.996f).bits, 0x7bff);
    EXPECT_EQ(r9v::from_float<r9v::half>(65520.f).bits, 0x7c00);
    EXPECT_EQ(r9v::from_double<r9v::half>(-65519.9999999).bits, 0xfbff);
    EXPECT_EQ(r9v::from_float<r9v::bf16>(0x1.fefffep127f).bits, 0x7f7f);
    EXPECT_EQ(r9v::from_float<r9v::bf16>(0x1.ffp127f).bits, 0x7f80);
    EXPECT_EQ(r9v::from_double<r9v::bf16>(1e300).bits, 0x7f80);
}

// Lower halves on both sides of every decision, under each of the 65536 upper halves.
TEST(bf16, every_upper_half_rounds_by_its_lower_half) {
    for (std::uint32_t upper = 0; upper < 65536; ++upper) {
        for (std::uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            const float value = reference::float_of(upper << 16 | lower);
            if (std::isnan(value)) continue;
            ASSERT_EQ(r9v::from_float<r9v::bf16>(value).bits,
                      reference::bf16.nearest(static_cast<double>(value)))
                << value;
        }
    }
}

#if defined(__FLT16_MANT_DIG__) && defined(__clang__)
// One float in 4099, which is prime, so that all mantissas and exponents come; all of them in the
// long run.
TEST(half, agrees_with_the_compiler) {
    const std::uint64_t step = std::getenv("R9V_LONG") != nullptr ? 1 : 4099;
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += step) {
        const float value = reference::float_of(static_cast<std::uint32_t>(bits));
        if (std::isnan(value)) continue;
        const _Float16 expected = static_cast<_Float16>(value);
        std::uint16_t code;
        std::memcpy(&code, &expected, sizeof code);
        // ASSERT_EQ alone would take most of the long run's time.
        if (r9v::from_float<r9v::half>(value).bits != code) {
            ASSERT_EQ(r9v::from_float<r9v::half>(value).bits, code) << value;
        }
    }
}

TEST(half, every_code_widens_as_the_compiler_does) {
    for (unsigned code = 0; code < 65536; ++code) {
        const auto bits = static_cast<std::uint16_t>(code);
        _Float16 value;
        std::memcpy(&value, &bits, sizeof value);
        if (std::isnan(static_cast<float>(value))) continue;
        ASSERT_EQ(reference::bits_of(r9v::to_float(r9v::half::from_bits(bits))),
                  reference::bits_of(static_cast<float>(value)));
    }
}
#endif
