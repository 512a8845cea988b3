// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Philox4x32 against the known answers that its authors publish with the Random123 library.
#include <r9v/numeric/random.hpp>

#include <array>
#include <gtest/gtest.h>

namespace {

using words = std::array<std::uint32_t, 4>;

template<int Rounds>
words philox(const words& counter, std::uint32_t key0, std::uint32_t key1) {
    const auto result = r9v::numeric::philox4x32<Rounds>(
        {{counter[0], counter[1], counter[2], counter[3]}}, key0, key1);
    return {result.word[0], result.word[1], result.word[2], result.word[3]};
}

constexpr words zeros{};
constexpr words ones{~0u, ~0u, ~0u, ~0u};
constexpr words pi{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};

} // namespace

TEST(philox, gives_the_published_answers_for_seven_rounds) {
    EXPECT_EQ(philox<7>(zeros, 0, 0), (words{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}));
    EXPECT_EQ(philox<7>(ones, ~0u, ~0u), (words{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}));
    EXPECT_EQ(philox<7>(pi, 0xa4093822, 0x299f31d0),
              (words{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}));
}

TEST(philox, gives_the_published_answers_for_ten_rounds) {
    EXPECT_EQ(philox<10>(zeros, 0, 0), (words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox<10>(ones, ~0u, ~0u), (words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(random_bits, counts_words_through_blocks) {
    const std::uint64_t seed = 0x299f31d0'a4093822;
    const std::uint64_t block = 0x85a308d3'243f6a88 >> 2;
    const words expected = philox<7>(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0},
        0xa4093822, 0x299f31d0);
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(r9v::random_bits(seed, block * 4 + i), expected[i]);
        EXPECT_EQ(r9v::random_block(seed, block).word[i], expected[i]);
    }
    EXPECT_EQ(r9v::random_bits(0, 2), 0x4f121f81u);
}

// Each of the 32 bits is set half of the time, and neighbours in index or seed do not agree more
// often than chance.
TEST(random_bits, are_balanced_and_independent) {
    constexpr int count = 100'000;
    int set[32] = {};
    int same_index[32] = {};
    int same_seed[32] = {};
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint32_t word = r9v::random_bits(42, i);
        const std::uint32_t next = word ^ r9v::random_bits(42, i + 1);
        const std::uint32_t other = word ^ r9v::random_bits(43, i);
        for (int bit = 0; bit < 32; ++bit) {
            set[bit] += word >> bit & 1;
            same_index[bit] += next >> bit & 1;
            same_seed[bit] += other >> bit & 1;
        }
    }
    for (int bit = 0; bit < 32; ++bit) { // standard deviation 158
        EXPECT_NEAR(set[bit], count / 2, 800) << bit;
        EXPECT_NEAR(same_index[bit], count / 2, 800) << bit;
        EXPECT_NEAR(same_seed[bit], count / 2, 800) << bit;
    }
}
