// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Handwritten digits, classified by two fused kernels: 64 pixels, 128 hidden values, 10 scores.
// Data: E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository, CC BY 4.0.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "digits.hpp"
#include <algorithm>
#include <cstdio>

using namespace r9v;

// snippet: layers
auto hidden_layer(const auto& x, const auto& w, const auto& b, const auto& h) {
    return gemm(x, w) | bias(b) | relu() | store(h);
}
auto output_layer(const auto& h, const auto& w, const auto& b, const auto& scores) {
    return gemm(h, w) | bias(b) | store(scores);
}
// end snippet

std::vector<float> scores_on_device(const example::digits& d) {
    const stream s;
    const buffer<half> x{d.pixels}, w1{d.w1}, w2{d.w2}, h{d.images * d.hidden};
    const buffer<float> b1{d.b1}, b2{d.b2}, scores{d.images * d.outputs};
    const auto hidden = h.view({d.images, d.hidden});
    launch(s, hidden_layer(x.view({d.images, d.inputs}), w1.view({d.hidden, d.inputs}),
                           b1.view({d.hidden}), hidden));
    launch(s, output_layer(hidden, w2.view({d.outputs, d.hidden}), b2.view({d.outputs}),
                           scores.view({d.images, d.outputs})));
    return scores.download(s);
}

std::vector<float> scores_of_reference(const example::digits& d) {
    std::vector<half> h(d.labels.size() * static_cast<std::size_t>(d.hidden));
    std::vector<float> scores(d.labels.size() * static_cast<std::size_t>(d.outputs));
    const host_tensor hidden{h.data(), {d.images, d.hidden}};
    launch(reference, hidden_layer(host_tensor{d.pixels.data(), {d.images, d.inputs}},
                                   host_tensor{d.w1.data(), {d.hidden, d.inputs}},
                                   host_tensor{d.b1.data(), {d.hidden}}, hidden));
    launch(reference, output_layer(hidden, host_tensor{d.w2.data(), {d.outputs, d.hidden}},
                                   host_tensor{d.b2.data(), {d.outputs}},
                                   host_tensor{scores.data(), {d.images, d.outputs}}));
    return scores;
}

/// The digit with the highest score, for each image.
std::vector<int> digits_of(const std::vector<float>& scores, int outputs) {
    std::vector<int> best;
    for (auto row = scores.begin(); row != scores.end(); row += outputs)
        best.push_back(static_cast<int>(std::max_element(row, row + outputs) - row));
    return best;
}

int main() {
    const example::digits d = example::read_digits(R9V_EXAMPLE_DATA "/digits.bin");
    const std::vector<int> seen = digits_of(scores_on_device(d), d.outputs);
    const std::vector<int> truth = digits_of(scores_of_reference(d), d.outputs);
    example::print_images(d, seen, 8);

    int right = 0, same = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        right += seen[i] == d.labels[i];
        same += seen[i] == truth[i];
    }
    const double accuracy = 100.0 * right / d.images;
    std::printf("accuracy on digits never seen in training: %.2f %% (%d of %d)\n"
                "same digit as the reference: %d of %d\n",
                accuracy, right, d.images, same, d.images);
    return accuracy >= 96 && same == d.images ? 0 : 1;
}
