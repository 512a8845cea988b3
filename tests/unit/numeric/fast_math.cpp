// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Compiled with -O3 -ffast-math: NaN and infinity are found and converted all the same. Inputs come
// from memory and results leave as bits, since the compiler may assume that floats are finite
// wherever it sees them made or passed.
#include <r9v/numeric/convert.hpp>

#include <cstring>
#include <gtest/gtest.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace {

struct answers {
    bool nan, inf, finite;
    bool operator==(const answers&) const = default;
};
void PrintTo(const answers& a, std::ostream* out) {
    *out << "nan " << a.nan << ", inf " << a.inf << ", finite " << a.finite;
}

template<class Value>
[[gnu::noinline]] answers ask(Value value) {
    return {r9v::is_nan(value), r9v::is_inf(value), r9v::is_finite(value)};
}

template<class Value>
[[gnu::noinline]] answers ask_product(const Value* a, const Value* b) {
    const Value product = *a * *b;
    return {r9v::is_nan(product), r9v::is_inf(product), r9v::is_finite(product)};
}

template<class To>
[[gnu::noinline]] To narrow(float value) {
    return r9v::from_float<To>(value);
}

template<class From>
[[gnu::noinline]] std::uint32_t widened_bits(const From* value) {
    const float wide = r9v::to_float(*value);
    std::uint32_t bits;
    std::memcpy(&bits, &wide, sizeof bits);
    return bits;
}

template<class Float, class Bits>
Float from_memory(Bits bits) {
    volatile Bits hidden = bits;
    const Bits read = hidden;
    Float value;
    std::memcpy(&value, &read, sizeof value);
    return value;
}
float f32(std::uint32_t bits) {
    return from_memory<float>(bits);
}
double f64(std::uint64_t bits) {
    return from_memory<double>(bits);
}

constexpr answers nan{true, false, false};
constexpr answers inf{false, true, false};
constexpr answers finite{false, false, true};

} // namespace

TEST(fast_math, is_on) {
#if !defined(__FAST_MATH__)
    FAIL() << "this file must be compiled with -ffast-math";
#endif
}

TEST(fast_math, float_bits_are_classified) {
    for (std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
        EXPECT_EQ(ask(f32(bits)), nan) << bits;
    for (std::uint32_t bits : {0x7f800000u, 0xff800000u})
        EXPECT_EQ(ask(f32(bits)), inf) << bits;
    for (std::uint32_t bits : {0u, 0x80000000u, 1u, 0x7f7fffffu, 0xff7fffffu, 0x3f800000u})
        EXPECT_EQ(ask(f32(bits)), finite) << bits;
}

TEST(fast_math, double_bits_are_classified) {
    for (std::uint64_t bits : {0x7ff8000000000000ull, 0xfff0000000000001ull, ~0ull})
        EXPECT_EQ(ask(f64(bits)), nan) << bits;
    for (std::uint64_t bits : {0x7ff0000000000000ull, 0xfff0000000000000ull})
        EXPECT_EQ(ask(f64(bits)), inf) << bits;
    for (std::uint64_t bits : {0ull, 1ull << 63, 1ull, 0x7fefffffffffffffull})
        EXPECT_EQ(ask(f64(bits)), finite) << bits;
}

TEST(fast_math, computed_values_are_classified) {
    const float huge = f32(0x7f000000u);
    const float infinite = f32(0x7f800000u);
    const float zero = f32(0u);
    EXPECT_EQ(ask_product(&huge, &huge), inf);
    EXPECT_EQ(ask_product(&zero, &infinite), nan);
    EXPECT_EQ(ask_product(&zero, &huge), finite);
    const double large = f64(0x7fe0000000000000ull);
    EXPECT_EQ(ask_product(&large, &large), inf);
}

TEST(fast_math, nan_and_infinity_convert) {
    const float nan_value = f32(0x7fc00000u);
    const float infinite = f32(0xff800000u);
    EXPECT_EQ(narrow<r9v::half>(nan_value).bits, 0x7e00);
    EXPECT_EQ(narrow<r9v::half>(infinite).bits, 0xfc00);
    EXPECT_EQ(narrow<r9v::bf16>(nan_value).bits, 0x7fc0);
    EXPECT_EQ(narrow<r9v::bf16>(infinite).bits, 0xff80);
    EXPECT_EQ(narrow<r9v::fp8_e4m3>(nan_value).bits, 0xff);
    EXPECT_EQ(narrow<r9v::fp8_e4m3>(infinite).bits, 0xfe);
    EXPECT_EQ(narrow<r9v::fp8_e5m2>(nan_value).bits, 0xfe);
    EXPECT_EQ(narrow<r9v::fp8_e5m2>(infinite).bits, 0xfb);
    EXPECT_EQ(narrow<std::int8_t>(nan_value), 0);
    EXPECT_EQ(narrow<std::int8_t>(infinite), -128);
    EXPECT_EQ(narrow<std::uint8_t>(infinite), 0);
    EXPECT_EQ(narrow<std::int32_t>(infinite), INT32_MIN);
}

TEST(fast_math, nan_and_infinity_widen) {
    const auto half_bits = [](std::uint16_t bits) {
        const r9v::half value = r9v::half::from_bits(bits);
        return widened_bits(&value);
    };
    EXPECT_EQ(half_bits(0x7c00), 0x7f800000u);
    EXPECT_EQ(half_bits(0xfc00), 0xff800000u);
    EXPECT_EQ(half_bits(0x7e00), 0x7fc00000u);
    EXPECT_EQ(half_bits(0x3c00), 0x3f800000u);
    const r9v::bf16 bf16_nan = r9v::bf16::from_bits(0x7fc0);
    EXPECT_EQ(widened_bits(&bf16_nan), 0x7fc00000u);
    const r9v::fp8_e5m2 fp8_inf = r9v::fp8_e5m2::from_bits(0xfc);
    EXPECT_EQ(widened_bits(&fp8_inf), 0xff800000u);
    const r9v::fp8_e4m3 fp8_nan = r9v::fp8_e4m3::from_bits(0x7f);
    EXPECT_EQ(widened_bits(&fp8_nan), 0xffc00000u);
}

#if defined(__SSE__)
// -ffast-math at link time may set these modes for the whole process.
TEST(fast_math, denormals_survive_flushing_modes) {
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040u); // flush to zero, denormals are zero
    const r9v::half half_denormal = r9v::half::from_bits(0x8001);
    const r9v::bf16 bf16_denormal = r9v::bf16::from_bits(0x0001);
    const std::uint32_t half_wide = widened_bits(&half_denormal);
    const std::uint32_t bf16_wide = widened_bits(&bf16_denormal);
    const unsigned half_narrow = narrow<r9v::half>(f32(0x33800000u)).bits;
    const unsigned bf16_narrow = narrow<r9v::bf16>(f32(0x00018001u)).bits;
    _mm_setcsr(saved);
    EXPECT_EQ(half_wide, 0xb3800000u);
    EXPECT_EQ(bf16_wide, 0x00010000u);
    EXPECT_EQ(half_narrow, 0x0001u);
    EXPECT_EQ(bf16_narrow, 0x0002u);
}
#endif
