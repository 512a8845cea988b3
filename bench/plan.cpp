// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Plan replay against eager launches of the same small kernels, until the device is done and the
// host's share alone; the cost of changing a step.
#include "device.hpp"
#include "overlap_report.hpp"

namespace {

void replay(benchmark::State& state) {
    const int launches = static_cast<int>(state.range(0));
    for (auto _ : state) {
        const auto f = measure::plan_against_eager(launches, bench::on_emulator ? 3 : 15);
        state.SetIterationTime(f.replay.median);
        state.counters["eager_s"] = f.eager.median;
        state.counters["replay_s"] = f.replay.median;
        state.counters["eager_host_s"] = f.eager_host.median;
        state.counters["replay_host_s"] = f.replay_host.median;
        state.counters["update_host_s"] = f.update.median;
        state.counters["speedup"] = f.eager.median / f.replay.median;
    }
}

void add_all(int, char**) {
    for (const int launches : {50, 400}) {
        benchmark::RegisterBenchmark("plan_replay", replay)
            ->Arg(launches)
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
    }
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
