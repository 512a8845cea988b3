// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Values as bits, and questions about float and double that survive -ffast-math.
#pragma once

#include <r9v/core/config.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI {

/// std::bit_cast for host and device: the standard's own is a host function under nvcc's rules.
template<class To, class From>
[[nodiscard]] R9V_HD constexpr To bit_cast(const From& value) {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, value);
}

namespace numeric {

template<class Float>
struct carrier;
template<>
struct carrier<float> {
    using type = std::uint32_t;
};
template<>
struct carrier<double> {
    using type = std::uint64_t;
};

/// The unsigned integer with as many bits as float or double.
template<class Float>
using carrier_t = typename carrier<Float>::type;

/// The same value, of which the optimizer no longer knows where it came from. Under -ffast-math
/// clang believes that no float is NaN or infinite and folds what is done to its bits by that
/// belief (clang-19: `(bits & 0x7f800000) == 0x7f800000` becomes false). It costs no instruction.
template<class Bits>
[[nodiscard]] R9V_HD constexpr Bits opaque(Bits bits) {
    if (!__builtin_is_constant_evaluated()) {
#if defined(__AMDGCN__)
        asm("" : "+v"(bits));
#elif defined(__CUDA_ARCH__)
        if constexpr (sizeof(Bits) == 8)
            asm("" : "+l"(bits));
        else
            asm("" : "+r"(bits));
#else
        asm("" : "+r"(bits));
#endif
    }
    return bits;
}

template<class Float>
[[nodiscard]] R9V_HD constexpr carrier_t<Float> opaque_bits(Float value) {
    return opaque(r9v::bit_cast<carrier_t<Float>>(value));
}

/// The float or double of these bits, NaN and infinity included, whatever the flags.
template<class Float>
[[nodiscard]] R9V_HD constexpr Float from_opaque_bits(carrier_t<Float> bits) {
    return r9v::bit_cast<Float>(opaque(bits));
}

inline constexpr std::uint32_t float_infinity = 0x7f80'0000u;
inline constexpr std::uint64_t double_infinity = 0x7ff0'0000'0000'0000u;

} // namespace numeric

[[nodiscard]] R9V_HD constexpr bool is_nan(float value) {
    return (numeric::opaque_bits(value) & 0x7fff'ffffu) > numeric::float_infinity;
}
[[nodiscard]] R9V_HD constexpr bool is_inf(float value) {
    return (numeric::opaque_bits(value) & 0x7fff'ffffu) == numeric::float_infinity;
}
[[nodiscard]] R9V_HD constexpr bool is_finite(float value) {
    return (numeric::opaque_bits(value) & 0x7fff'ffffu) < numeric::float_infinity;
}

[[nodiscard]] R9V_HD constexpr bool is_nan(double value) {
    return (numeric::opaque_bits(value) & ~(1ull << 63)) > numeric::double_infinity;
}
[[nodiscard]] R9V_HD constexpr bool is_inf(double value) {
    return (numeric::opaque_bits(value) & ~(1ull << 63)) == numeric::double_infinity;
}
[[nodiscard]] R9V_HD constexpr bool is_finite(double value) {
    return (numeric::opaque_bits(value) & ~(1ull << 63)) < numeric::double_infinity;
}

} // namespace r9v::inline R9V_ABI
