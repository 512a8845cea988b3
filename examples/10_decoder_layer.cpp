// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A complete decoder layer as in LLaMA, from programs alone (decoder_layer.hpp): the prompts of two
// sequences, then one decoding step, over a cache in pages. It agrees with r9v::reference and with
// PyTorch, and is compared with the same layer whose ops are kernels of their own.
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include "decoder_layer.hpp"
#include "savings.hpp"
#include <bench/unfused_decoder.hpp>

using namespace r9v;
using example::decoder_layer, example::decoder_sizes, example::on_device, example::on_host;
using example::page_table, example::placed_step, example::stored, example::token_step;

const decoder_sizes sizes;
const std::vector<int> prompts{40, 33}, one_each{1, 1};
const int most_keys = 48; // of a sequence, where the cache has no pages

/// Tokens of the two steps, as an embedding would give them.
std::vector<half> tokens(int count, unsigned seed) {
    return example::pattern<half>(count * sizes.width(), 6, seed);
}

// snippet: steps
/// The results of prompts and of one decoding step behind one another, wherever the layer runs.
template<class Place>
std::vector<half> results_of(Place& place, const decoder_layer<Place>& layer) {
    page_table pages{2, sizes.pages, sizes.page_size};
    std::vector<half> all;
    unsigned seed = 28;
    for (const auto& counts : {prompts, one_each}) {
        const token_step tokens_of_step{pages, counts};
        const placed_step<Place> step{tokens_of_step, pages};
        const stored<Place, half, 2> x{{step.tokens, sizes.width()}, tokens(step.tokens, seed++)};
        const stored<Place, half, 2> y{{step.tokens, sizes.width()}};
        layer.run(place, x(), step, y());
        const auto result = place.download(y.memory());
        all.insert(all.end(), result.begin(), result.end());
    }
    return all;
}
// end snippet

/// Kernels and bytes of one step, fused and with a kernel for every op.
bool step_saves(const stream& s, unfused::queue& queue, const decoder_layer<on_device>& layer,
                const unfused::decoder_layer& separate_layer, const token_step& host,
                const page_table& pages) {
    const placed_step<on_device> step{host, pages};
    const unfused::decoder_step apart{host, sizes.heads, most_keys};
    const stored<on_device, half, 2> x{{step.tokens, sizes.width()}, tokens(step.tokens, 30)};
    const stored<on_device, half, 2> y{{step.tokens, sizes.width()}};
    const auto fused = savings::measured(s, queue, [&] { layer.run(queue, x(), step, y()); });
    const auto result = y.memory().download(s);
    const auto separate =
        savings::measured(s, queue, [&] { separate_layer.run(queue, x(), step, apart, y()); });
    std::printf("decoder layer, %d new tokens of 2 sequences, width %d, %d heads on %d\n",
                step.tokens, sizes.width(), sizes.heads, sizes.key_heads);
    savings::print(fused, separate);
    return example::agree("with separate kernels", y.memory().download(s), result, 2e-3) &&
           savings::saves(fused, separate);
}

bool saves(const stream& s, const decoder_layer<on_device>& layer) {
    page_table pages{2, sizes.pages, sizes.page_size};
    const unfused::decoder_layer separate_layer{layer, 2, most_keys};
    unfused::queue queue{s};
    savings::print_heading();
    const token_step prefill{pages, prompts};
    const bool better = step_saves(s, queue, layer, separate_layer, prefill, pages);
    const token_step decode{pages, one_each};
    return step_saves(s, queue, layer, separate_layer, decode, pages) && better;
}

int main() {
    const stream s;
    on_device device{s};
    on_host host;
    const decoder_layer<on_device> layer{sizes};
    const decoder_layer<on_host> reference_layer{sizes};
    const auto results = results_of(device, layer);
    const auto golden = example::read_golden(R9V_EXAMPLE_DATA "/decoder_layer.bin",
                                             static_cast<int>(results.size()));
    const bool right =
        example::agree("decoder layer", results, results_of(host, reference_layer), 2e-3);
    const bool same = example::agree("decoder layer by PyTorch", results, golden, 2e-3);
    return saves(s, layer) && right && same ? 0 : 1;
}
