// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Overlap and plans: four measurements of copies beside compute, a small network at batch 1, and
// replays against eager launches. On the emulator work runs when it is queued, so that its figures
// say what the host pays and nothing about overlap.
#include "device.hpp"
#include "overlap_report.hpp"
#include <string>

namespace {

constexpr bool small = bench::on_emulator;

void add_figure(benchmark::State& state, const std::string& name, const measure::figure& f) {
    state.counters[name] = f.median;
}

void overlap(benchmark::State& state) {
    measure::overlap_shape shape;
    shape.input_bytes = static_cast<std::size_t>(state.range(0));
    shape.output_bytes = static_cast<std::size_t>(state.range(1));
    if (small) {
        shape.items = 6;
        shape.rounds = 3;
        shape.blocks = 2;
    }
    for (auto _ : state) {
        const auto f = measure::overlap_recipe{shape}.run();
        state.SetIterationTime(f.overlapped.median);
        add_figure(state, "compute_s", f.compute);
        add_figure(state, "copies_s", f.copies);
        add_figure(state, "serial_s", f.serial);
        add_figure(state, "overlapped_s", f.overlapped);
        state.counters["ratio"] = f.ratio;
    }
}

void network(benchmark::State& state) {
    measure::network_shape shape;
    shape.layers = static_cast<int>(state.range(0));
    shape.width = static_cast<int>(state.range(1));
    if (small) {
        shape.input = 1024;
        shape.output = 64;
        shape.requests = 20;
        shape.rounds = 3;
    }
    for (auto _ : state) {
        const auto f = measure::small_network{shape}.run();
        state.SetIterationTime(f.ring.median);
        add_figure(state, "one_by_one_s", f.one_by_one);
        add_figure(state, "ring_s", f.ring);
        add_figure(state, "one_by_one_plan_s", f.one_by_one_plan);
        add_figure(state, "ring_plan_s", f.ring_plan);
        state.counters["throughput_ratio"] = f.one_by_one.median / f.ring.median;
    }
}

void add_all(int, char**) {
    const auto once = [](benchmark::internal::Benchmark* b) {
        b->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
    };
    const long megabyte = 1L << 20;
    for (const long in : {4 * megabyte, 64 * megabyte}) {
        const long bytes = small ? in / 256 : in;
        once(benchmark::RegisterBenchmark("overlap/in", overlap)->Args({bytes, 4096}));
        once(benchmark::RegisterBenchmark("overlap/both_ways", overlap)->Args({bytes, bytes}));
    }
    once(benchmark::RegisterBenchmark("network_at_batch_1", network)
             ->Args({small ? 6 : 24, small ? 512 : 200'000}));
    once(benchmark::RegisterBenchmark("network_at_batch_1", network)
             ->Args({small ? 20 : 100, small ? 256 : 50'000}));
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
