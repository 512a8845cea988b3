// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Throughput and latency of the batcher at 1 to 256 clients that each wait for their answer before
// they ask again. Running a batch costs a fixed time and a little per request, as on a GPU; it is a
// wait of the host, so that the figures are the batcher's own on any machine.
#include <r9v/batcher.hpp>

#include "device.hpp"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
using namespace std::chrono_literals;

void run_batch(r9v::batch<int, int>& b) {
    std::this_thread::sleep_for(200us + b.size() * 2us);
    for (std::size_t i = 0; i < b.size(); ++i)
        b.set(i, b.request(i) + 1);
}

void clients(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const bool batched = state.range(1) != 0;
    constexpr auto duration = 400ms;
    for (auto _ : state) {
        std::vector<double> latencies;
        std::mutex mutex;
        r9v::batch_statistics statistics;
        const auto begin = clock_type::now();
        {
            r9v::batcher<int, int> b{{.most = batched ? std::size_t{64} : std::size_t{1},
                                      .preferred = {},
                                      .delay = 100us,
                                      .queue_limit = 4096},
                                     run_batch};
            std::vector<std::thread> threads;
            for (std::size_t c = 0; c < count; ++c) {
                threads.emplace_back([&] {
                    std::vector<double> own;
                    while (clock_type::now() - begin < duration) {
                        const auto asked = clock_type::now();
                        (void)b.submit(1).get();
                        own.push_back(
                            std::chrono::duration<double>(clock_type::now() - asked).count());
                    }
                    const std::lock_guard lock(mutex);
                    latencies.insert(latencies.end(), own.begin(), own.end());
                });
            }
            for (auto& each : threads)
                each.join();
            statistics = b.statistics();
        }
        const double wall = std::chrono::duration<double>(clock_type::now() - begin).count();
        std::sort(latencies.begin(), latencies.end());
        const auto at = [&](double share) {
            return latencies[static_cast<std::size_t>(static_cast<double>(latencies.size() - 1) *
                                                      share)];
        };
        state.SetIterationTime(wall);
        state.counters["requests/s"] = static_cast<double>(latencies.size()) / wall;
        state.counters["p50_s"] = at(0.5);
        state.counters["p95_s"] = at(0.95);
        state.counters["p99_s"] = at(0.99);
        state.counters["mean_batch"] = statistics.mean_size();
    }
}

/// The batcher's own cost: batches of nothing, from one thread.
void overhead(benchmark::State& state) {
    r9v::batcher<int, int> b{{.most = 64, .delay = 0us, .queue_limit = 1U << 20},
                             [](r9v::batch<int, int>& x) {
                                 for (std::size_t i = 0; i < x.size(); ++i)
                                     x.set(i, 0);
                             }};
    std::vector<r9v::batch_future<int>> futures;
    for (auto _ : state) {
        for (int i = 0; i < 64; ++i)
            futures.push_back(b.submit(i));
        for (auto& each : futures)
            (void)each.get();
        futures.clear();
    }
    state.SetItemsProcessed(state.iterations() * 64);
}

void add_all(int, char**) {
    for (const int batched : {0, 1}) {
        for (const int count : {1, 4, 16, 64, 256}) {
            benchmark::RegisterBenchmark(batched != 0 ? "clients/batched" : "clients/one_by_one",
                                         clients)
                ->Args({count, batched})
                ->Iterations(1)
                ->UseManualTime()
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::RegisterBenchmark("overhead", overhead)->UseRealTime();
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
