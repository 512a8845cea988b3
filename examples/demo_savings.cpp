// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What fusion saves: two layers as fused programs and as the same ops in kernels of their own
// (bench/unfused.hpp). On the emulator the bytes are counted while the kernels run; on a GPU, which
// cannot be asked so simply, the sizes of what each kernel reads and writes are added up and the
// time is measured.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include "digits.hpp"
#include "savings.hpp"
#include <bench/unfused.hpp>

using namespace r9v;

/// relu(x w1' + b1) w2' + b2 over the images of the digits.
bool digits_network(const stream& s, const example::digits& d) {
    const buffer<half> pixels{d.pixels}, weights1{d.w1}, weights2{d.w2};
    const buffer<float> bias1{d.b1}, bias2{d.b2};
    const buffer<half> hidden{d.images * d.hidden};
    const buffer<float> scores{d.images * d.outputs};
    const auto x = pixels.view({d.images, d.inputs}), w1 = weights1.view({d.hidden, d.inputs});
    const auto w2 = weights2.view({d.outputs, d.hidden}), h = hidden.view({d.images, d.hidden});
    const auto b1 = bias1.view({d.hidden}), b2 = bias2.view({d.outputs});
    const auto y = scores.view({d.images, d.outputs});

    std::printf("digits network, %d images\n", d.images);
    const double inputs = savings::bytes(x, w1, h, h, w2, y);
    const auto fused = savings::measured(s, inputs + savings::bytes(b1, b2), [&](hipStream_t to) {
        launch(to, gemm(x, w1) | bias(b1) | relu() | store(h));
        launch(to, gemm(h, w2) | bias(b2) | store(y));
    });
    const auto fused_scores = scores.download(s);
    const double extra = savings::bytes(b1, h, h, h, h, b2, y, y);
    const auto unfused = savings::measured(s, inputs + extra, [&](hipStream_t to) {
        launch(to, gemm(x, w1) | store(h));
        unfused::bias(to, h, b1);
        unfused::relu(to, h);
        launch(to, gemm(h, w2) | store(y));
        unfused::bias(to, y, b2);
    });
    savings::print(fused, unfused);
    // Without fusion the hidden values are rounded to f16 twice.
    const bool same = example::distance(fused_scores, scores.download(s)) < 2e-3;
    return same && savings::saves(fused, unfused);
}

/// silu(x w' + b + r): a layer of a size that fills a GPU.
bool layer(const stream& s, int m, int n, int k) {
    const buffer<half> inputs{example::random<half>(m * k, 1.0, 1)};
    const buffer<half> weights{example::random<half>(n * k, 1.0 / std::sqrt(k), 2)};
    const buffer<half> residuals{example::random<half>(m * n, 1.0, 3)}, results{m * n};
    const buffer<float> biases{example::random<float>(n, 1.0, 4)};
    const auto x = inputs.view({m, k}), w = weights.view({n, k});
    const auto r = residuals.view({m, n}), y = results.view({m, n});
    const auto b = biases.view({n});

    std::printf("layer with bias, residual and silu, %d x %d x %d\n", m, n, k);
    const double product = savings::bytes(x, w, y);
    const auto fused = savings::measured(s, product + savings::bytes(b, r), [&](hipStream_t to) {
        launch(to, gemm(x, w) | bias(b) | residual(r) | silu() | store(y));
    });
    const auto fused_results = results.download(s);
    const double extra = savings::bytes(b, y, y, r, y, y, y, y);
    const auto unfused = savings::measured(s, product + extra, [&](hipStream_t to) {
        launch(to, gemm(x, w) | store(y));
        unfused::bias(to, y, b);
        unfused::residual(to, y, r);
        unfused::silu(to, y);
    });
    savings::print(fused, unfused);
    const bool same = example::distance(fused_results, results.download(s)) < 2e-3;
    return same && savings::saves(fused, unfused);
}

int main() {
    const stream s;
    savings::print_heading();
    const bool network_right =
        digits_network(s, example::read_digits(R9V_EXAMPLE_DATA "/digits.bin"));
    const bool layer_right = layer(s, 512, 1024, 1024);
    if (!network_right || !layer_right)
        std::puts("WRONG: the two ways disagree, or nothing is saved");
    return network_right && layer_right ? 0 : 1;
}
