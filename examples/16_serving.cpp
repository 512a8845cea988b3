// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Many clients, one fused program: the batcher collects their requests, and an overlap ring runs
// the batches, so that the next one is gathered and copied while this one computes.
#include <r9v/batcher.hpp>
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "check.hpp"
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

using namespace r9v;

// snippet: program
auto classifier(const auto& x, const auto& w, const auto& b, const auto& y) {
    return gemm(x, w) | bias(b) | gelu() | store(y);
}
// end snippet

namespace {

constexpr int features = 64, classes = 24;
constexpr int clients = 12, requests_each = 6;
constexpr std::size_t largest_batch = 16;

std::vector<half> request_of(int client, int number) {
    return example::random<half>(features, 1.0, static_cast<unsigned>(1000 * client + number));
}

} // namespace

int main() {
    const auto weights = example::random<half>(classes * features, 1.0 / std::sqrt(features), 1);
    const auto offsets = example::random<float>(classes, 0.5, 2);
    const buffer<half> w{weights};
    const buffer<float> b{offsets};

    // snippet: serving
    using request = std::vector<half>;
    using answer = std::vector<half>;
    overlap_ring ring{{.slot_count = 3,
                       .input_bytes = largest_batch * features * sizeof(half),
                       .output_bytes = largest_batch * classes * sizeof(half)}};

    const auto run = [&](batch<request, answer>& collected) -> status {
        // The batch goes with the item: its answers are given where they arrive, in consume.
        const auto rows = static_cast<index_t>(collected.size());
        const auto own = std::make_shared<batch<request, answer>>(std::move(collected));
        overlap_future in_flight;
        return ring.try_submit(
            in_flight,
            [own](host_block& in) {
                for (std::size_t i = 0; i < own->size(); ++i)
                    std::memcpy(in.data() + i * features * sizeof(half), own->request(i).data(),
                                features * sizeof(half));
                in.use(own->size() * features * sizeof(half));
            },
            [&, rows](overlap_ring::slot_type& at) {
                const tensor x{at.input_as<half>(), {rows, features}};
                const tensor y{at.output_as<half>(), {rows, classes}};
                at.output_bytes = static_cast<std::size_t>(rows) * classes * sizeof(half);
                return try_launch(at.stream,
                                  classifier(x, w.view({classes, features}), b.view({classes}), y));
            },
            [own](const host_block& out) {
                const auto values = out.as<half>();
                for (std::size_t i = 0; i < own->size(); ++i) {
                    const auto* const begin = values.data() + i * classes;
                    own->set(i, answer(begin, begin + classes));
                }
            });
    };
    batcher<request, answer> serve{{.most = largest_batch,
                                    .preferred = {4, 8, 16},
                                    .delay = std::chrono::milliseconds{2},
                                    .queue_limit = 256},
                                   run};
    // end snippet

    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int client = 0; client < clients; ++client) {
        threads.emplace_back([&, client] {
            for (int number = 0; number < requests_each; ++number) {
                const auto mine = request_of(client, number);
                const auto y = serve.submit(mine).get();
                std::vector<half> truth(classes);
                launch(reference, classifier(host_tensor{mine.data(), {1, features}},
                                             host_tensor{weights.data(), {classes, features}},
                                             host_tensor{offsets.data(), {classes}},
                                             host_tensor{truth.data(), {1, classes}}));
                if (example::distance(y, truth) < 4e-3) ++right;
            }
        });
    }
    for (auto& each : threads)
        each.join();
    serve.close();
    ring.drain();

    const auto s = serve.statistics();
    std::printf("%d clients: %llu requests in %llu batches (mean %.1f, largest %zu), %d right\n",
                clients, static_cast<unsigned long long>(s.ran),
                static_cast<unsigned long long>(s.batches), s.mean_size(), s.largest, right.load());
    return right == clients * requests_each ? 0 : 1;
}
