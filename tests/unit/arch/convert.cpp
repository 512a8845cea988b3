// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The conversion instructions of arch/ against the definitions in numeric/: the same bits, for all
// codes of every narrow type and for floats of every exponent.

#include <r9v/arch/select.hpp>
#include <r9v/memory.hpp>
#include <r9v/numeric/convert.hpp>

#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using namespace r9v; // NOLINT(google-build-using-namespace)

template<class T>
struct bits_type {
    using type =
        std::conditional_t<sizeof(T) == 1, std::uint8_t,
                           std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;
};

/// Each thread converts one float alone, and four neighbours as words.
template<class T>
__global__ void narrow(const float* from, std::uint32_t* single, std::uint32_t* packed) {
    const auto t = blockIdx.x * blockDim.x + threadIdx.x;
    single[t] = arch::element_from_float<T>(from[t]);
    constexpr int count = 4 / static_cast<int>(sizeof(T));
    float values[count];
    for (int i = 0; i < count; ++i)
        values[i] = from[t * count % 4096 + static_cast<unsigned>(i)];
    packed[t] = arch::word_from_floats<T>(values);
}

template<class T>
__global__ void widen(const std::uint32_t* from, float* to) {
    const auto t = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr unsigned count = 4 / sizeof(T);
    for (unsigned i = 0; i < count; ++i)
        to[t * count + i] = arch::element_to_float<T>(from[t], static_cast<int>(i));
}

template<class T>
std::uint32_t code_of(float value) {
    const T narrowed = from_float<T>(value);
    return std::bit_cast<typename bits_type<T>::type>(narrowed);
}

/// Every exponent and sign with random mantissas, halves of every unit, zeros, NaN, infinities.
std::vector<float> interesting_floats() {
    std::mt19937 random{7};
    std::vector<float> values;
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
        for (std::uint32_t sign = 0; sign < 2; ++sign)
            for (int shape = 0; shape < 8; ++shape) {
                const auto low = static_cast<std::uint32_t>(random());
                const std::uint32_t mantissa =
                    shape == 0   ? 0
                    : shape == 1 ? 0x7fffffu
                    : shape < 5  ? (low | 1u << (19 + shape)) << (17 + shape) & 0x7fffffu
                                 : low & 0x7fffffu;
                values.push_back(std::bit_cast<float>(sign << 31 | exponent << 23 | mantissa));
            }
    return values;
}

template<class T>
class conversions : public ::testing::Test {};
using types =
    ::testing::Types<half, bf16, fp8_e4m3, fp8_e5m2, std::int8_t, std::uint8_t, std::int32_t>;
TYPED_TEST_SUITE(conversions, types);

TYPED_TEST(conversions, from_float) {
    const std::vector<float> from = interesting_floats();
    ASSERT_EQ(from.size(), 4096u);
    const buffer<float> input{from};
    const buffer<std::uint32_t> single{4096};
    const buffer<std::uint32_t> packed{4096};
    const stream s;
    narrow<TypeParam><<<128, 32, 0, s.handle()>>>(input.data(), single.data(), packed.data());
    const std::vector<std::uint32_t> one = single.download(s);
    const std::vector<std::uint32_t> many = packed.download(s);
    constexpr unsigned count = 4 / sizeof(TypeParam);
    constexpr unsigned width = 8 * sizeof(TypeParam);
    for (unsigned i = 0; i < 4096; ++i) {
        ASSERT_EQ(one[i], code_of<TypeParam>(from[i]))
            << from[i] << " bits " << std::hex << std::bit_cast<std::uint32_t>(from[i]);
        std::uint32_t word = 0;
        for (unsigned e = 0; e < count; ++e)
            word |= code_of<TypeParam>(from[i * count % 4096 + e]) << (width * e % 32);
        ASSERT_EQ(many[i], word) << i;
    }
}

TYPED_TEST(conversions, to_float) {
    constexpr unsigned count = 4 / sizeof(TypeParam);
    std::vector<std::uint32_t> codes(16384);
    std::mt19937 random{11};
    for (std::uint32_t i = 0; i < 16384; ++i) {
        codes[i] = count == 2   ? (4 * i & 0xffffu) | (4 * i + 2) << 16
                   : count == 4 ? (i & 0xffu) | ((i + 1) & 0xffu) << 8 | ((i * 3) & 0xffu) << 16 |
                                      ((255 - i) & 0xffu) << 24
                                : static_cast<std::uint32_t>(random());
    }
    const buffer<std::uint32_t> input{codes};
    const buffer<float> output{16384 * index_t{count}};
    const stream s;
    widen<TypeParam><<<512, 32, 0, s.handle()>>>(input.data(), output.data());
    const std::vector<float> got = output.download(s);
    for (unsigned i = 0; i < 16384 * count; ++i) {
        const std::uint32_t word = codes[i / count] >> (8 * sizeof(TypeParam) * (i % count));
        const auto code = static_cast<typename bits_type<TypeParam>::type>(word);
        const float wanted = to_float(std::bit_cast<TypeParam>(code));
        if (is_nan(wanted)) {
            ASSERT_TRUE(is_nan(got[i])) << std::hex << +code;
        } else {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(wanted))
                << std::hex << +code;
        }
    }
}

} // namespace
