// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The figures of the element types, against the standard library's and the published ones.
#include <r9v/numeric/convert.hpp>

#include <gtest/gtest.h>
#include <limits>
#include <string>

using r9v::element;

template<class T, class Standard>
void expect_limits() {
    using limits = std::numeric_limits<Standard>;
    EXPECT_EQ(element<T>::max_finite, static_cast<double>(limits::max()));
    EXPECT_EQ(element<T>::lowest, static_cast<double>(limits::lowest()));
    EXPECT_EQ(element<T>::is_signed, limits::is_signed);
    EXPECT_EQ(element<T>::bits, 8 * static_cast<int>(sizeof(T)));
    if constexpr (!limits::is_integer) {
        EXPECT_EQ(element<T>::epsilon, static_cast<double>(limits::epsilon()) / 2);
        EXPECT_EQ(element<T>::min_normal, static_cast<double>(limits::min()));
        EXPECT_EQ(element<T>::min_positive, static_cast<double>(limits::denorm_min()));
    }
}

TEST(element, has_the_limits_of_the_standard_types) {
    expect_limits<float, float>();
    expect_limits<std::int8_t, std::int8_t>();
    expect_limits<std::uint8_t, std::uint8_t>();
    expect_limits<std::int32_t, std::int32_t>();
}

TEST(element, has_the_published_limits_of_the_narrow_types) {
    EXPECT_EQ(element<r9v::half>::max_finite, 65504);
    EXPECT_EQ(element<r9v::half>::epsilon, 0x1p-11);
    EXPECT_EQ(element<r9v::half>::min_normal, 0x1p-14);
    EXPECT_EQ(element<r9v::half>::min_positive, 0x1p-24);
    EXPECT_EQ(element<r9v::bf16>::max_finite, 0x1.fep127);
    EXPECT_EQ(element<r9v::bf16>::epsilon, 0x1p-8);
    EXPECT_EQ(element<r9v::bf16>::min_normal, 0x1p-126);
    EXPECT_EQ(element<r9v::bf16>::min_positive, 0x1p-133);
    EXPECT_EQ(element<r9v::fp8_e4m3>::max_finite, 448);
    EXPECT_EQ(element<r9v::fp8_e4m3>::epsilon, 0x1p-4);
    EXPECT_EQ(element<r9v::fp8_e4m3>::min_normal, 0x1p-6);
    EXPECT_EQ(element<r9v::fp8_e4m3>::min_positive, 0x1p-9);
    EXPECT_EQ(element<r9v::fp8_e5m2>::max_finite, 57344);
    EXPECT_EQ(element<r9v::fp8_e5m2>::epsilon, 0x1p-3);
    EXPECT_EQ(element<r9v::fp8_e5m2>::min_normal, 0x1p-14);
    EXPECT_EQ(element<r9v::fp8_e5m2>::min_positive, 0x1p-16);
    EXPECT_EQ(element<r9v::fp8_e5m2>::lowest, -57344);
}

TEST(element, names_are_the_short_ones) {
    EXPECT_EQ(element<float>::name, std::string{"f32"});
    EXPECT_EQ(element<r9v::half>::name, std::string{"f16"});
    EXPECT_EQ(element<r9v::bf16>::name, std::string{"bf16"});
    EXPECT_EQ(element<r9v::fp8_e4m3>::name, std::string{"fp8_e4m3"});
    EXPECT_EQ(element<r9v::fp8_e5m2>::name, std::string{"fp8_e5m2"});
    EXPECT_EQ(element<std::int8_t>::name, std::string{"i8"});
    EXPECT_EQ(element<std::uint8_t>::name, std::string{"u8"});
    EXPECT_EQ(element<std::int32_t>::name, std::string{"i32"});
}

TEST(element, knows_what_is_none) {
    EXPECT_TRUE(r9v::is_element<const r9v::half>);
    EXPECT_FALSE(r9v::is_element<double>);
    EXPECT_FALSE(r9v::is_element<long long>);
    EXPECT_FALSE(r9v::is_element<bool>);
    EXPECT_FALSE(r9v::is_element<r9v::half*>);
    EXPECT_FALSE(r9v::is_element<r9v::int4x2>);
    EXPECT_TRUE(r9v::is_floating_element<r9v::bf16>);
    EXPECT_FALSE(r9v::is_floating_element<std::int8_t>);
    EXPECT_TRUE(r9v::is_fp8<r9v::fp8_e5m2>);
    EXPECT_FALSE(r9v::is_fp8<std::int8_t>);
}

// Every conversion is a constant expression, so the compiler checks these.
static_assert(r9v::from_float<r9v::half>(1.f).bits == 0x3c00);
static_assert(r9v::from_double<r9v::bf16>(-2.).bits == 0xc000);
static_assert(r9v::from_float<r9v::fp8_e4m3>(0.1f).bits == 0x1d);
static_assert(r9v::from_float<std::int8_t>(-2.5f) == -2);
static_assert(r9v::to_float(r9v::half::from_bits(0x0001)) == 0x1p-24f);
static_assert(r9v::to_double(r9v::bf16::from_bits(0x0001)) == 0x1p-133);
static_assert(r9v::is_nan(r9v::fp8_e4m3::from_bits(0x7f)));
