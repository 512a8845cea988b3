// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// double to every type by one rounding, where two would give another result.
#include <cmath>
#include <cstring>
#include <random>
#include <tests/unit/numeric/formats.hpp>

template<class T>
class once_rounded : public ::testing::Test {};
TYPED_TEST_SUITE(once_rounded, narrow_types);

TYPED_TEST(once_rounded, just_beside_every_middle) {
    const reference::format type = definition<TypeParam>;
    int differ = 0;
    for (unsigned code = 0; code < type.largest(); ++code) {
        const double middle = (type.decode(code) + type.decode(code + 1)) / 2;
        // Closer to the middle than any float: through float, the side would be lost.
        for (double value : {std::nextafter(middle, 0.), std::nextafter(middle, INFINITY)}) {
            const unsigned expected = value < middle ? code : code + 1;
            ASSERT_EQ(r9v::from_double<TypeParam>(value).bits, expected) << value;
            ASSERT_EQ(r9v::from_double<TypeParam>(-value).bits, expected | type.sign()) << value;
            differ += r9v::from_float<TypeParam>(static_cast<float>(value)).bits != expected;
        }
        ASSERT_EQ(r9v::from_double<TypeParam>(middle).bits, code + code % 2) << middle;
    }
    EXPECT_EQ(differ, static_cast<int>(type.largest())); // the test has teeth: one of each pair
}

TYPED_TEST(once_rounded, random_doubles) {
    const reference::format type = definition<TypeParam>;
    std::mt19937_64 generator{7};
    for (int i = 0; i < 200'000; ++i) {
        const std::uint64_t bits = generator();
        double value;
        std::memcpy(&value, &bits, sizeof value);
        if (std::isnan(value)) continue;
        if (i % 2 == 0) { // most exponents of double are out of range: half of the values are not
            int exponent = 0;
            value = std::ldexp(std::frexp(value, &exponent), static_cast<int>(bits % 64) - 32);
        }
        if (std::isnan(value)) continue;
        ASSERT_EQ(r9v::from_double<TypeParam>(value).bits, type.nearest(value)) << value;
    }
}

TEST(once_rounded_float, agrees_with_the_compiler) {
    std::mt19937_64 generator{11};
    for (int i = 0; i < 1'000'000; ++i) {
        std::uint64_t bits = generator();
        if (i % 2 == 0) // exponents from below float's denormals to above its largest
            bits = (bits & 0x800f'ffff'ffff'ffffull) | (1023 - 160 + bits % 290) << 52;
        if (i % 4 == 0) bits &= ~0xfff'ffffull; // ties are frequent
        double value;
        std::memcpy(&value, &bits, sizeof value);
        if (std::isnan(value)) continue;
        ASSERT_EQ(reference::bits_of(r9v::from_double<float>(value)),
                  reference::bits_of(static_cast<float>(value)))
            << value;
    }
}

TEST(once_rounded_float, passes_nan_and_identity) {
    EXPECT_TRUE(std::isnan(r9v::from_double<float>(std::nan(""))));
    EXPECT_EQ(reference::bits_of(r9v::from_float<float>(reference::float_of(0x7f800001))),
              0x7f800001u);
    EXPECT_EQ(reference::bits_of(r9v::from_float<float>(-0.f)), 0x80000000u);
    EXPECT_EQ(r9v::to_double(1.1f), static_cast<double>(1.1f));
}
