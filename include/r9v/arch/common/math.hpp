// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Functions of one float, fast. Errors are a few units in the last place unless stated.
#pragma once

#include <r9v/arch/gfx12/math.hpp>

namespace r9v::inline R9V_ABI::arch {

[[nodiscard]] R9V_INLINE float fma(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
[[nodiscard]] R9V_INLINE float abs(float x) {
    return __builtin_fabsf(x);
}
/// Nearest integer, ties to even.
[[nodiscard]] R9V_INLINE float round(float x) {
    return __builtin_rintf(x);
}

[[nodiscard]] R9V_INLINE float exp(float x) {
    return exp2(x * 1.44269504f);
}
[[nodiscard]] R9V_INLINE float log(float x) {
    return log2(x) * 0.693147181f;
}

/// 1 / (1 + exp(-x)).
[[nodiscard]] R9V_INLINE float sigmoid(float x) {
    return reciprocal(1.0f + exp2(x * -1.44269504f));
}

/// Two at once. The pins keep the halves of each step together, in neighbouring registers, where
/// they pair into one dual instruction.
[[nodiscard]] R9V_INLINE floats2 sigmoid(floats2 x) {
    floats2 step = x * -1.44269504f;
    asm("" : "+v"(step));
    step = floats2{exp2(step[0]), exp2(step[1])};
    asm("" : "+v"(step));
    step = 1.0f + step;
    asm("" : "+v"(step));
    return floats2{reciprocal(step[0]), reciprocal(step[1])};
}

// Both sides of a choice are computed before it: inside, the compiler would branch for each lane.

/// exp(x) - 1; the series where the difference would cancel.
[[nodiscard]] R9V_INLINE float expm1(float x) {
    float series = fma(x, 1.0f / 720, 1.0f / 120);
    series = fma(x, series, 1.0f / 24);
    series = fma(x, series, 1.0f / 6);
    series = fma(x, series, 0.5f);
    const float by_series = fma(x * x, series, x);
    const float direct = exp(x) - 1.0f;
    return abs(x) < 0.25f ? by_series : direct;
}

/// log(1 + x); the series where the sum would drop most of x.
[[nodiscard]] R9V_INLINE float log1p(float x) {
    float series = fma(x, -1.0f / 4, 1.0f / 3);
    series = fma(x, series, -0.5f);
    const float by_series = fma(x * x, series, x);
    const float direct = log(1.0f + x);
    return abs(x) < 1.0f / 64 ? by_series : direct;
}

/// (1 - e) / (1 + e) with e = exp(-2 |x|), so that nothing on the way overflows.
[[nodiscard]] R9V_INLINE float tanh(float x) {
    const float e = expm1(-2.0f * abs(x));
    return __builtin_copysignf(-e * reciprocal(2.0f + e), x);
}

/// x P(x^2) below 1, 1 - 2^-Q(|x|) above: fits of least maximum error, 4e-8 relative and 2e-8.
[[nodiscard]] R9V_INLINE float erf(float x) {
    const float square = x * x;
    float p = fma(square, -5.6317245e-4f, 4.91763465e-3f);
    p = fma(square, p, -2.6711395e-2f);
    p = fma(square, p, 1.12801835e-1f);
    p = fma(square, p, -3.76123279e-1f);
    p = fma(square, p, 1.12837911f);
    const float size = minimum(abs(x), 4.0f); // erf(4) is 1 - 1.5e-8
    float q = fma(size, 1.65983383e-3f, -2.13212203e-2f);
    q = fma(size, q, 1.27874613e-1f);
    q = fma(size, q, 9.44224477e-1f);
    q = fma(size, q, 1.6121254f);
    q = fma(size, q, 3.85380816e-3f);
    const float near_zero = x * p;
    const float direct = __builtin_copysignf(1.0f - exp2(-q), x);
    return abs(x) < 1.0f ? near_zero : direct;
}

} // namespace r9v::inline R9V_ABI::arch
