// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A stream of inputs through two layers: while one item computes, the next is copied to the device
// and the previous one back. Each slot of the ring has its own memory, so that each has a plan of
// its own, captured once.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/plan.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include <memory>

using namespace r9v;

// snippet: layers
auto first_layer(const auto& x, const auto& w, const auto& b, const auto& h) {
    return gemm(x, w) | bias(b) | silu() | store(h);
}
auto second_layer(const auto& h, const auto& w, const auto& y) {
    return gemm(h, w) | store(y);
}
// end snippet

namespace {

constexpr int rows = 16, inputs = 96, inner = 128, outputs = 32, items = 24;
constexpr int slot_count = 3;

struct network {
    std::vector<half> up = example::random<half>(inner * inputs, 1.0 / std::sqrt(inputs), 1);
    std::vector<half> down = example::random<half>(outputs * inner, 1.0 / std::sqrt(inner), 2);
    std::vector<float> offset = example::random<float>(inner, 0.5, 3);
};

std::vector<half> input_of(int item) {
    return example::random<half>(rows * inputs, 1.0, 100 + static_cast<unsigned>(item));
}

std::vector<half> on_the_host(const network& n, const std::vector<half>& input) {
    std::vector<half> h(rows * inner), y(rows * outputs);
    const host_tensor inner_state{h.data(), {rows, inner}};
    launch(reference, first_layer(host_tensor{input.data(), {rows, inputs}},
                                  host_tensor{n.up.data(), {inner, inputs}},
                                  host_tensor{n.offset.data(), {inner}}, inner_state));
    launch(reference, second_layer(inner_state, host_tensor{n.down.data(), {outputs, inner}},
                                   host_tensor{y.data(), {rows, outputs}}));
    return y;
}

} // namespace

int main() {
    const network n;
    const buffer<half> up{n.up}, down{n.down};
    const buffer<float> offset{n.offset};
    std::vector<buffer<half>> hidden;
    for (int i = 0; i < slot_count; ++i)
        hidden.emplace_back(rows * inner);

    // snippet: ring
    std::unique_ptr<plan> plans[slot_count];
    const auto compute = [&](const overlap_ring::slot_type& at) {
        auto& own = plans[at.index];
        if (!own) {
            const auto h = hidden[static_cast<std::size_t>(at.index)].view({rows, inner});
            const tensor x{at.input_as<half>(), {rows, inputs}};
            const tensor y{at.output_as<half>(), {rows, outputs}};
            own = std::make_unique<plan>();
            own->add(first_layer(x, up.view({inner, inputs}), offset.view({inner}), h));
            own->add(second_layer(h, down.view({outputs, inner}), y));
        }
        own->replay(at.stream);
    };

    std::vector<std::vector<half>> results(items, std::vector<half>(rows * outputs));
    std::vector<overlap_future> futures;
    {
        overlap_ring ring{{.slot_count = slot_count,
                           .input_bytes = rows * inputs * sizeof(half),
                           .output_bytes = rows * outputs * sizeof(half)}};
        for (std::size_t item = 0; item < items; ++item) {
            futures.push_back(ring.submit(
                [&](host_block& in) { // straight into pinned memory
                    const auto values = input_of(static_cast<int>(item));
                    std::copy(values.begin(), values.end(), in.as<half>().begin());
                },
                compute, host_target{results[item].data(), rows * outputs * sizeof(half)}));
        }
        for (auto& each : futures)
            each.get(); // in order; throws what went wrong with this item
        const auto s = ring.statistics();
        std::printf("%llu items; median upload %.1f us, compute %.1f us, download %.1f us\n",
                    static_cast<unsigned long long>(s.completed), 1e6 * s.upload.p50,
                    1e6 * s.compute.p50, 1e6 * s.download.p50);
    }
    // end snippet

    bool right = true;
    for (const std::size_t item : {std::size_t{0}, std::size_t{13}, results.size() - 1}) {
        const auto truth = on_the_host(n, input_of(static_cast<int>(item)));
        right = example::agree("y = silu(x up' + b) down'", results[item], truth, 4e-3) && right;
    }
    for (const auto& each : plans)
        right = right && each->captured();
    return right ? 0 : 1;
}
