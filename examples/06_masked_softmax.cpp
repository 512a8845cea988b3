// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Attention weights by hand: scores are scaled, masked and normalised in one kernel, which reads
// each score once. Then a router of a mixture of experts: softmax and the choice of the best.
#include <r9v/memory.hpp>
#include <r9v/softmax.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"

using namespace r9v;

// snippet: program
// A query sees the keys up to its own position, no more than 40 of them, and no padding: each
// sequence of the batch has its own length.
auto weights(const auto& scores, const auto& lengths, const auto& y) {
    return softmax(scores | scale(0.125f) | causal(bottom_right) | window(40) | prefix(lengths)) |
           store(y);
}

// The two best of each row, with weights that sum to one.
auto route(const auto& logits, const auto& chosen, const auto& experts) {
    return softmax(logits) | top_k(2, chosen, experts, top_k_weights::renormalize);
}
// end snippet

namespace {

bool check_weights(const stream& s) {
    const int batch = 2, heads = 3, queries = 50, keys = 70, count = batch * heads * queries * keys;
    const auto scores = example::random<half>(count, 20.0, 1);
    const std::vector<std::int32_t> lengths{70, 33};
    const buffer<half> device_scores{scores}, device_y{count};
    const buffer<std::int32_t> device_lengths{lengths};
    launch(s, weights(device_scores.view({batch, heads, queries, keys}),
                      device_lengths.view({batch}), device_y.view({batch, heads, queries, keys})));
    const auto y = device_y.download(s);

    std::vector<half> truth(y.size());
    launch(reference, weights(host_tensor{scores.data(), {batch, heads, queries, keys}},
                              host_tensor{lengths.data(), {batch}},
                              host_tensor{truth.data(), {batch, heads, queries, keys}}));
    return example::agree("masked softmax", y, truth, 1e-3);
}

bool check_route(const stream& s) {
    const int tokens = 64, experts = 60;
    const auto logits = example::random<half>(tokens * experts, 2.0, 2);
    const buffer<half> device_logits{logits};
    const buffer<float> device_chosen{tokens * 2};
    const buffer<std::int32_t> device_experts{tokens * 2};
    launch(s, route(device_logits.view({tokens, experts}), device_chosen.view({tokens, 2}),
                    device_experts.view({tokens, 2})));
    const auto chosen = device_chosen.download(s);
    const auto places = device_experts.download(s);

    std::vector<float> truth(chosen.size());
    std::vector<std::int32_t> true_places(places.size());
    launch(reference, route(host_tensor{logits.data(), {tokens, experts}},
                            host_tensor{truth.data(), {tokens, 2}},
                            host_tensor{true_places.data(), {tokens, 2}}));
    const bool right = example::agree("two of 60 experts", chosen, truth, 1e-5);
    std::printf("%-28s %s\n", "their places", places == true_places ? "right" : "WRONG");
    return right && places == true_places;
}

} // namespace

int main() {
    const stream s;
    const bool weights_right = check_weights(s);
    return check_route(s) && weights_right ? 0 : 1;
}
