// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The number formats by their definitions, in double arithmetic: nothing here uses r9v.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace reference {

inline std::uint32_t bits_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline std::uint64_t bits_of(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float float_of(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

struct format {
    int exponent_bits;
    int mantissa_bits;
    int bias;
    bool ieee_specials; ///< the top exponent is infinity and NaN; else only its last code is NaN
    bool saturates;     ///< what lies beyond the largest value becomes the largest value

    [[nodiscard]] unsigned sign() const { return 1u << (exponent_bits + mantissa_bits); }
    [[nodiscard]] unsigned infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
    [[nodiscard]] unsigned largest() const { return ieee_specials ? infinity() - 1 : sign() - 2; }

    /// (-1)^s * 2^(e - bias) * 1.m, or for e = 0 (-1)^s * 2^(1 - bias) * 0.m.
    [[nodiscard]] double decode(unsigned code) const {
        const unsigned magnitude = code & (sign() - 1);
        const int exponent = static_cast<int>(magnitude >> mantissa_bits);
        const double fraction = std::ldexp(
            static_cast<double>(magnitude & ((1u << mantissa_bits) - 1)), -mantissa_bits);
        double value = exponent == 0 ? std::ldexp(fraction, 1 - bias)
                                     : std::ldexp(1 + fraction, exponent - bias);
        if (ieee_specials && magnitude == infinity())
            value = std::numeric_limits<double>::infinity();
        if (magnitude > largest() && !(ieee_specials && magnitude == infinity()))
            value = std::numeric_limits<double>::quiet_NaN();
        return (code & sign()) != 0 ? -value : value;
    }

    /// The code of the largest value not above |value|, for finite values.
    [[nodiscard]] unsigned below(double value) const {
        unsigned low = 0;
        unsigned high = largest() + 1;
        while (high - low > 1) {
            const unsigned middle = (low + high) / 2;
            (decode(middle) <= std::fabs(value) ? low : high) = middle;
        }
        return low;
    }

    /// The nearest code of all, ties to the even one; not for NaN.
    [[nodiscard]] unsigned nearest(double value) const {
        const unsigned negative = std::signbit(value) ? sign() : 0;
        const unsigned beyond = saturates ? largest() : infinity();
        if (std::isinf(value)) return negative | beyond;
        const unsigned low = below(value);
        // The code after the largest would be the next power of two, if the format went on.
        const double next =
            low == largest() ? decode(low) + (decode(low) - decode(low - 1)) : decode(low + 1);
        const double middle = (decode(low) + next) / 2;
        const bool up = std::fabs(value) > middle || (std::fabs(value) == middle && low % 2 == 1);
        if (!up) return negative | low;
        return negative | (low == largest() ? beyond : low + 1);
    }
};

inline constexpr format half{5, 10, 15, true, false};
inline constexpr format bf16{8, 7, 127, true, false};
inline constexpr format e4m3{4, 3, 7, false, true};
inline constexpr format e5m2{5, 2, 15, true, true};

/// Every finite value of the format, the middle between it and the next, and the floats around
/// both; with both signs, and the special floats.
inline std::vector<float> edge_floats(const format& type) {
    std::vector<float> floats;
    const auto add = [&](double value) {
        const float centre = static_cast<float>(value);
        for (float x : {centre, std::nextafter(centre, 0.f), std::nextafter(centre, INFINITY)}) {
            floats.push_back(x);
            floats.push_back(-x);
        }
    };
    for (unsigned code = 0; code <= type.largest(); ++code) {
        const double value = type.decode(code);
        const double step =
            code == type.largest() ? value - type.decode(code - 1) : type.decode(code + 1) - value;
        add(value);
        add(value + step / 2);
    }
    for (double value : {0x1p-149, 0x1p-126, 0x1.fffffep127, double{INFINITY}, 1e-30, 1e30})
        add(value);
    return floats;
}

/// Random bit patterns as floats: every exponent equally often, NaN left out.
inline std::vector<float> random_floats(unsigned seed, int count) {
    std::mt19937 generator{seed};
    std::vector<float> floats;
    while (static_cast<int>(floats.size()) < count) {
        const float value = float_of(static_cast<std::uint32_t>(generator()));
        if (!std::isnan(value)) floats.push_back(value);
    }
    return floats;
}

} // namespace reference
