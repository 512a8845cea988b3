// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The narrow number types: storage without arithmetic. Values are computed in float (or double, in
// the reference) and rounded where they are stored: numeric/convert.hpp.
//
// A type is made from its bits by `from_bits` alone, so that `half{1}`, which could mean the number
// one or its smallest denormal, does not compile.
#pragma once

#include <r9v/core/config.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI {

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 mantissa bits; largest finite value 65504.
struct half {
    std::uint16_t bits;

    half() = default;
    [[nodiscard]] R9V_HD static constexpr half from_bits(std::uint16_t bits) { return {bits, 0}; }

private:
    R9V_HD constexpr half(std::uint16_t value, int) : bits{value} {}
};

/// bfloat16: the upper half of an IEEE binary32; largest finite value 3.3895e38.
struct bf16 {
    std::uint16_t bits;

    bf16() = default;
    [[nodiscard]] R9V_HD static constexpr bf16 from_bits(std::uint16_t bits) { return {bits, 0}; }

private:
    R9V_HD constexpr bf16(std::uint16_t value, int) : bits{value} {}
};

/// OCP 8-bit floating point (OFP8 1.0) E4M3: no infinities, NaN is S.1111.111; largest value 448.
struct fp8_e4m3 {
    std::uint8_t bits;

    fp8_e4m3() = default;
    [[nodiscard]] R9V_HD static constexpr fp8_e4m3 from_bits(std::uint8_t bits) {
        return {bits, 0};
    }

private:
    R9V_HD constexpr fp8_e4m3(std::uint8_t value, int) : bits{value} {}
};

/// OCP 8-bit floating point (OFP8 1.0) E5M2: the upper half of a binary16; largest finite value
/// 57344. Infinities exist and are read as such, but no conversion of r9v makes one.
struct fp8_e5m2 {
    std::uint8_t bits;

    fp8_e5m2() = default;
    [[nodiscard]] R9V_HD static constexpr fp8_e5m2 from_bits(std::uint8_t bits) {
        return {bits, 0};
    }

private:
    R9V_HD constexpr fp8_e5m2(std::uint8_t value, int) : bits{value} {}
};

/// Two signed 4-bit integers, -8 to 7, in one byte: the first in the low four bits.
struct int4x2 {
    std::uint8_t bits;

    int4x2() = default;
    [[nodiscard]] R9V_HD static constexpr int4x2 from_bits(std::uint8_t bits) { return {bits, 0}; }

    /// Values outside -8 to 7 saturate.
    [[nodiscard]] R9V_HD static constexpr int4x2 pack(int low, int high) {
        return from_bits(static_cast<std::uint8_t>(nibble(low) | nibble(high) << 4));
    }
    [[nodiscard]] R9V_HD constexpr int low() const { return sign_extend(bits & 0xfu); }
    [[nodiscard]] R9V_HD constexpr int high() const { return sign_extend(bits >> 4); }

private:
    R9V_HD constexpr int4x2(std::uint8_t value, int) : bits{value} {}

    R9V_HD static constexpr unsigned nibble(int value) {
        const int clamped = value < -8 ? -8 : value > 7 ? 7 : value;
        return static_cast<unsigned>(clamped) & 0xfu;
    }
    R9V_HD static constexpr int sign_extend(unsigned nibble) {
        return static_cast<int>(nibble ^ 8u) - 8;
    }
};

static_assert(sizeof(half) == 2 && sizeof(bf16) == 2);
static_assert(sizeof(fp8_e4m3) == 1 && sizeof(fp8_e5m2) == 1 && sizeof(int4x2) == 1);

} // namespace r9v::inline R9V_ABI
