// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A layer whose output the next layer wants in 8 bits: divided by a step that calibration gave,
// rounded and stored as fp8 or int8 by the kernel itself. The largest magnitude of each row, from
// the values before rounding, tells whether the step still fits.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include <cstdint>

using namespace r9v;

// snippet: program
auto quantized_layer(const auto& x, const auto& w, const auto& b, float step, const auto& largest,
                     const auto& y) {
    return gemm(x, w) | bias(b) | silu() | absmax_rows(largest) | quantize(step) | store(y);
}
// end snippet

const int m = 150, n = 320, k = 256;

/// The layer with results of type T, whose largest value is `limit`; whether it is right.
template<class T>
bool quantized(const char* name, double limit, double bound) {
    const auto x = example::random<half>(m * k, 1.0, 1);
    const auto w = example::random<half>(n * k, 1.0 / std::sqrt(k), 2);
    const auto b = example::random<float>(n, 0.5, 3);
    const float largest_expected = 4; // what calibration saw; larger values saturate
    const float step = static_cast<float>(largest_expected / limit);

    const stream s;
    const buffer<half> device_x{x}, device_w{w};
    const buffer<float> device_b{b}, device_largest{m};
    const buffer<T> device_y{m * n};
    launch(s, quantized_layer(device_x.view({m, k}), device_w.view({n, k}), device_b.view({n}),
                              step, device_largest.view({m}), device_y.view({m, n})));
    const auto y = device_y.download(s);
    const auto largest = device_largest.download(s);

    std::vector<T> truth(y.size());
    std::vector<float> true_largest(largest.size());
    launch(reference,
           quantized_layer(host_tensor{x.data(), {m, k}}, host_tensor{w.data(), {n, k}},
                           host_tensor{b.data(), {n}}, step, host_tensor{true_largest.data(), {m}},
                           host_tensor{truth.data(), {m, n}}));
    int beyond = 0;
    for (const float row : largest)
        beyond += row > largest_expected;
    std::printf("%s: %d of %d rows hold values beyond the calibrated %.1f\n", name, beyond, m,
                static_cast<double>(largest_expected));
    const bool rows_right = example::agree("  largest of each row", largest, true_largest, 1e-4);
    return example::agree("  quantized values", y, truth, bound) && rows_right;
}

int main() {
    // A value next to the middle of two neighbours may round to either: the bounds allow for few.
    const bool fp8 = quantized<fp8_e4m3>("fp8 e4m3", element<fp8_e4m3>::max_finite, 1e-2);
    const bool int8 = quantized<std::int8_t>("int8", element<std::int8_t>::max_finite, 1e-2);
    return fp8 && int8 ? 0 : 1;
}
