// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A linear layer, y = gelu(x w' + b), as one kernel: the bias and the activation happen in
// registers, between the product and the only write of y.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"

using namespace r9v;

// snippet: program
// One program for both kinds of memory: of device tensors it runs on a stream, of host tensors on
// r9v::reference.
auto linear(const auto& x, const auto& w, const auto& b, const auto& y) {
    return gemm(x, w) | bias(b) | gelu() | store(y);
}
// end snippet

int main() {
    const int m = 200, n = 384, k = 256; // any sizes; these are no multiples of the tiles
    const auto x = example::random<half>(m * k, 1.0, 1);
    const auto w = example::random<half>(n * k, 1.0 / std::sqrt(k), 2);
    const auto b = example::random<float>(n, 0.5, 3);

    // snippet: device
    const stream s;
    const buffer<half> device_x{x}, device_w{w}, device_y{m * n};
    const buffer<float> device_b{b};
    launch(s, linear(device_x.view({m, k}), device_w.view({n, k}), device_b.view({n}),
                     device_y.view({m, n})));
    const std::vector<half> y = device_y.download(s);
    // end snippet

    // snippet: reference
    std::vector<half> truth(y.size());
    launch(reference, linear(host_tensor{x.data(), {m, k}}, host_tensor{w.data(), {n, k}},
                             host_tensor{b.data(), {n}}, host_tensor{truth.data(), {m, n}}));
    // end snippet

    return example::agree("gelu(x w' + b)", y, truth, 1e-3) ? 0 : 1;
}
