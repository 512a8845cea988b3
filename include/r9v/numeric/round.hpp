// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The two ways to drop low bits of a significand. Integer arithmetic only: the same bits on host
// and device, in any floating-point mode, under any compiler flag.
#pragma once

#include <r9v/core/config.hpp>

#include <cstdint>

namespace r9v::inline R9V_ABI {

namespace numeric {

/// significand / 2^shift to the nearest integer, ties to the even one.
struct nearest_even {
    /// A finite value beyond the largest rounds to infinity where the type has it.
    static constexpr bool keeps_finite = false;

    template<class Bits>
    [[nodiscard]] R9V_HD constexpr Bits operator()(Bits significand, int shift, int) const {
        // A larger shift than the significand is long gives zero, and would be undefined.
        constexpr int longest = sizeof(Bits) == 8 ? 54 : 25;
        const int places = shift < longest ? shift : longest;
        const Bits odd = (significand >> places) & Bits{1};
        const Bits below_half = (Bits{1} << (places - 1)) - 1;
        return (significand + below_half + odd) >> places;
    }
};

/// significand / 2^shift rounded up with a probability equal to its fraction, else down: the upper
/// bits of `random` are added to the dropped bits, and the carry rounds.
/// At most `resolution` random bits are used; what lies below them is cut off first, so the mean of
/// many roundings differs from the value by less than 2^-resolution of the kept unit.
/// That is also what v_cvt_sr_fp8_f32 and v_cvt_sr_bf8_f32 do on gfx12, denormals included.
struct stochastic {
    std::uint32_t random;
    static constexpr bool keeps_finite = true;

    [[nodiscard]] R9V_HD constexpr std::uint32_t operator()(std::uint32_t significand, int shift,
                                                            int resolution) const {
        const int used = shift < resolution ? shift : resolution;
        const int cut = shift - used < 31 ? shift - used : 31;
        return ((significand >> cut) + (random >> (32 - used))) >> used;
    }
};

} // namespace numeric

} // namespace r9v::inline R9V_ABI
