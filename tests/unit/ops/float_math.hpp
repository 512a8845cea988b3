// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A policy in float on the host, with the formulas that devices use: what overflows there,
// overflows here too.
#pragma once

#include <r9v/ops/reference_math.hpp>

#include <cmath>

namespace r9v_test {

struct float_math {
    using real = float;
    using offset = std::uint32_t;
    static constexpr bool is_reference = false;

    static float exp(float x) { return std::exp2(x * std::numbers::log2e_v<float>); }
    static float exp2(float x) { return std::exp2(x); }
    static float expm1(float x) { return std::expm1(x); }
    static float log(float x) { return std::log(x); }
    static float log1p(float x) { return std::log1p(x); }
    static float sqrt(float x) { return std::sqrt(x); }
    static float rsqrt(float x) { return 1.0f / std::sqrt(x); }
    static float reciprocal(float x) { return 1.0f / x; }
    static float tanh(float x) { return std::tanh(x); }
    static float erf(float x) { return std::erf(x); }
    static float sigmoid(float x) { return reciprocal(1.0f + exp(-x)); }
    static float fma(float a, float b, float c) { return std::fma(a, b, c); }
    static float abs(float x) { return std::fabs(x); }
    static float round(float x) { return std::nearbyint(x); }
    static float max(float a, float b) { return r9v::is_nan(a) || a > b ? a : b; }
    static float min(float a, float b) { return r9v::is_nan(a) || a < b ? a : b; }
    static float select(bool condition, float a, float b) { return condition ? a : b; }

    template<int N, class T>
    static r9v::run<float, N> load(const T* base, offset away) {
        r9v::run<float, N> values;
        for (int i = 0; i < N; ++i)
            values[i] = r9v::to_float(base[away + static_cast<offset>(i)]);
        return values;
    }
    template<int N, class T>
    static void store(T* base, offset away, const r9v::run<float, N>& values) {
        for (int i = 0; i < N; ++i)
            base[away + static_cast<offset>(i)] = r9v::from_float<T>(values[i]);
    }
    template<class T>
    static float round_to(float x) {
        return r9v::to_float(r9v::from_float<T>(x));
    }
    static void atomic_max_nonnegative(float* target, float value) {
        *target = max(*target, value);
    }
    static void atomic_min(std::uint64_t* target, std::uint64_t value) {
        if (value < *target) *target = value;
    }
};

} // namespace r9v_test
