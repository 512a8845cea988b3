// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One small layer, relu(x w^T + b), with numbers that are exact in half, and its result by hand.
// Inline code that uses r9v belongs in r9v's version namespace: two libraries with two versions
// would otherwise share it.
#pragma once

#include <r9v/gemm.hpp>
#include <r9v/launch.hpp>
#include <r9v/ops.hpp>
#include <r9v/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace layer::inline R9V_ABI {

inline constexpr int rows = 5;
inline constexpr int columns = 7;
inline constexpr int inner = 9;

inline std::vector<r9v::half> numbers(int count, int step) {
    std::vector<r9v::half> values;
    for (int i = 0; i < count; ++i) {
        values.push_back(r9v::from_float<r9v::half>(static_cast<float>(i * step % 17 - 8) / 8.0f));
    }
    return values;
}

inline std::vector<r9v::half> x() {
    return numbers(rows * inner, 5);
}
inline std::vector<r9v::half> w() {
    return numbers(columns * inner, 3);
}
inline std::vector<r9v::half> b() {
    return numbers(columns, 7);
}

inline float expected(int row, int column) {
    const auto value = [](const std::vector<r9v::half>& of, int at) {
        return r9v::to_float(of[static_cast<std::size_t>(at)]);
    };
    float sum = value(b(), column);
    for (int k = 0; k < inner; ++k) {
        sum += value(x(), row * inner + k) * value(w(), column * inner + k);
    }
    return std::max(sum, 0.0f);
}

/// The number of wrong values; every sum is exact, so nothing may differ.
inline int wrong_values(const std::vector<float>& y) {
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const auto got = y[static_cast<std::size_t>(row * columns + column)];
            if (got != expected(row, column)) ++wrong;
        }
    }
    return wrong;
}

inline int run_on_reference() {
    auto x_values = x();
    auto w_values = w();
    auto b_values = b();
    std::vector<float> y_values(rows * columns, -1.0f);
    const r9v::host_tensor x_view{x_values.data(), {rows, inner}};
    const r9v::host_tensor w_view{w_values.data(), {columns, inner}};
    const r9v::host_tensor b_view{b_values.data(), {columns}};
    const r9v::host_tensor y_view{y_values.data(), {rows, columns}};
    r9v::launch(r9v::reference,
                r9v::gemm(x_view, w_view) | r9v::bias(b_view) | r9v::relu() | r9v::store(y_view));
    return wrong_values(y_values);
}

} // namespace layer::inline R9V_ABI
