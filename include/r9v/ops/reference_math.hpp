// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The math policy of the reference executor, and with it the list of what every policy offers.
// Ops write all arithmetic beyond + - * / through the policy, so one op object runs in double on
// the host and in fast float on a device. arch/ has the device policies, with the same members.
#pragma once

#include <r9v/numeric/convert.hpp>
#include <r9v/ops/run.hpp>

#include <cmath>
#include <limits>
#include <numbers>

namespace r9v::inline R9V_ABI {

struct reference_math {
    using real = double;
    /// Type of a lane's distance from its base, in elements.
    using offset = index_t;

    /// For ops that are exact in the reference and fast on a device, as quantize() divides.
    static constexpr bool is_reference = true;

    R9V_HD static double exp(double x) { return std::exp(x); }
    R9V_HD static double exp2(double x) { return std::exp2(x); }
    R9V_HD static double expm1(double x) { return std::expm1(x); }
    R9V_HD static double log(double x) { return std::log(x); }
    R9V_HD static double log1p(double x) { return std::log1p(x); }
    R9V_HD static double sqrt(double x) { return std::sqrt(x); }
    R9V_HD static double rsqrt(double x) { return 1.0 / std::sqrt(x); }
    R9V_HD static double reciprocal(double x) { return 1.0 / x; }
    R9V_HD static double tanh(double x) { return std::tanh(x); }
    R9V_HD static double erf(double x) { return std::erf(x); }
    /// 1 / (1 + exp(-x)).
    R9V_HD static double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
    /// a * b + c.
    R9V_HD static double fma(double a, double b, double c) { return std::fma(a, b, c); }
    R9V_HD static double abs(double x) { return std::fabs(x); }
    /// Nearest integer, ties to even.
    R9V_HD static double round(double x) { return std::nearbyint(x); }
    /// A NaN in either argument gives NaN, as in IEEE 754-2019 `maximum`.
    R9V_HD static double max(double a, double b) {
        if (is_nan(a)) return a;
        return is_nan(b) || b > a ? b : a;
    }
    /// A NaN in either argument gives NaN, as in IEEE 754-2019 `minimum`.
    R9V_HD static double min(double a, double b) {
        if (is_nan(a)) return a;
        return is_nan(b) || b < a ? b : a;
    }
    /// `condition ? a : b` without a branch.
    R9V_HD static double select(bool condition, double a, double b) { return condition ? a : b; }

    /// `Width` neighbouring elements, `away` elements from `base`, exactly.
    template<int Width, class T>
    R9V_HD static run<double, Width> load(const T* base, offset away) {
        run<double, Width> values;
        for (int i = 0; i < Width; ++i)
            values[i] = to_double(base[away + i]);
        return values;
    }
    /// Stores `Width` neighbouring elements, each rounded once (numeric/convert.hpp).
    template<int Width, class T>
    R9V_HD static void store(T* base, offset away, const run<double, Width>& values) {
        for (int i = 0; i < Width; ++i)
            base[away + i] = from_double<T>(values[i]);
    }
    /// The value after rounding to the grid of T, saturating as a store of T would.
    template<class T>
    R9V_HD static double round_to(double x) {
        return to_double(from_double<T>(x));
    }

    /// *target = max(*target, value) for value >= 0; NaN wins.
    R9V_HD static void atomic_max_nonnegative(float* target, double value) {
        *target = from_double<float>(max(*target, value));
    }
    /// *target = min(*target, value) as unsigned 64-bit numbers.
    R9V_HD static void atomic_min(std::uint64_t* target, std::uint64_t value) {
        if (value < *target) *target = value;
    }
};

} // namespace r9v::inline R9V_ABI
