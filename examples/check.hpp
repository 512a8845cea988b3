// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the examples share: input that is random and always the same, and the comparison with the
// reference that decides their exit status.
#pragma once

#include <r9v/numeric/convert.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace example {

/// `count` values, normally distributed around 0.
template<class T>
std::vector<T> random(int count, double spread, unsigned seed) {
    std::mt19937 bits{seed};
    std::normal_distribution<double> normal{0.0, spread};
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values)
        value = r9v::from_double<T>(normal(bits));
    return values;
}

/// ||a - b|| / ||b||; a NaN on either side gives NaN.
template<class T>
double distance(const std::vector<T>& a, const std::vector<T>& b) {
    double apart = 0;
    double length = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double truth = r9v::to_double(b[i]);
        apart += std::pow(r9v::to_double(a.at(i)) - truth, 2);
        length += truth * truth;
    }
    return std::sqrt(apart / length);
}

/// Prints how far `result` is from `truth`; whether that is within `bound`.
template<class T>
bool agree(const char* what, const std::vector<T>& result, const std::vector<T>& truth,
           double bound) {
    const double apart = distance(result, truth);
    const bool right = apart <= bound; // false for NaN
    std::printf("%-28s relative distance from the reference %.1e, allowed %.1e: %s\n", what, apart,
                bound, right ? "right" : "WRONG");
    return right;
}

} // namespace example
