// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The memory pool against the runtime's own allocation: one warm size, random mixes of sizes on 1
// to 64 streams and threads, and replayed traces of two services (tests/runtime/pool_traces.hpp
// says what they are). Host time; nothing runs on the device.
#include <r9v/memory_tools.hpp>
#include <r9v/stream.hpp>

#include <benchmark/benchmark.h>
#include <memory>
#include <random>
#include <tests/runtime/pool_traces.hpp>
#include <vector>

namespace {

using namespace r9v;

/// Allocate and free one size that the pool has: what a request costs in steady state.
void warm_size(benchmark::State& state) {
    memory_pool pool;
    const stream s;
    const auto bytes = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        void* const p = pool.allocate(bytes, s);
        benchmark::DoNotOptimize(p);
        pool.deallocate(p, bytes);
    }
}
BENCHMARK(warm_size)->Arg(256)->Arg(4096)->Arg(1 << 20)->Arg(64 << 20);

/// The same with a raw handle, which costs an event a free unless streams outlive the pool.
void warm_size_raw_handle(benchmark::State& state) {
    memory_pool pool{
        {.raw = state.range(0) == 0 ? raw_streams::may_end : raw_streams::outlive_pool}};
    const stream s;
    for (auto _ : state) {
        void* const p = pool.allocate(4096, s.handle());
        benchmark::DoNotOptimize(p);
        pool.deallocate(p, 4096);
    }
}
BENCHMARK(warm_size_raw_handle)->ArgName("outlives")->Arg(0)->Arg(1);

void runtime_allocation(benchmark::State& state) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        void* p = nullptr;
        benchmark::DoNotOptimize(platform::allocate(&p, bytes));
        benchmark::DoNotOptimize(platform::release(p));
    }
}
BENCHMARK(runtime_allocation)->Arg(4096)->Arg(1 << 20);

/// All threads on one pool, each with its stream.
std::unique_ptr<memory_pool> shared_pool;
void warm_size_threads(benchmark::State& state) {
    if (state.thread_index() == 0) shared_pool = std::make_unique<memory_pool>();
    std::unique_ptr<stream> s;
    for (auto _ : state) {
        if (s == nullptr) s = std::make_unique<stream>();
        void* const p = shared_pool->allocate(4096, *s);
        benchmark::DoNotOptimize(p);
        shared_pool->deallocate(p, 4096);
    }
    if (state.thread_index() == 0) shared_pool.reset();
}
BENCHMARK(warm_size_threads)->Threads(1)->Threads(2)->Threads(8)->Threads(64)->UseRealTime();

/// 256 B to 1 MiB, log-uniform, half of the time a free of a random one; on this many streams.
void random_mix(benchmark::State& state) {
    memory_pool pool{{.reserve = std::size_t{256} << 20}};
    std::vector<stream> streams(static_cast<std::size_t>(state.range(1)));
    const auto count = static_cast<std::size_t>(state.range(0));
    std::mt19937_64 random{1};
    std::vector<void*> live;
    for (auto _ : state) {
        for (std::size_t i = 0; i < count; ++i) {
            if (live.size() < 512 && random() % 2 == 0) {
                const std::size_t bytes = (random() % 256 + 256) << random() % 12;
                live.push_back(pool.allocate(bytes, streams[random() % streams.size()]));
            } else if (!live.empty()) {
                std::swap(live[random() % live.size()], live.back());
                pool.deallocate(live.back());
                live.pop_back();
            }
        }
    }
    for (void* const p : live)
        pool.deallocate(p);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
    state.counters["steals"] = static_cast<double>(pool.statistics().steals);
}
BENCHMARK(random_mix)
    ->ArgNames({"calls", "streams"})
    ->ArgsProduct({{1000, 10'000, 100'000}, {1, 8, 64}});

template<class Trace>
void replayed(benchmark::State& state, Trace make) {
    const memory_trace trace = make(1);
    const auto reserve = trace.peak_live() / 10 * 11;
    memory_pool pool{{.reserve = state.range(0) == 0 ? 0 : reserve}};
    std::vector<stream> streams(8);
    const std::vector<stream_ref> refs(streams.begin(), streams.end());
    for (auto _ : state) {
        const replayed_trace result = replay(trace, pool, refs);
        if (result.failures != 0) state.SkipWithError(result.first_failure.what());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace.events.size()));
    state.counters["reserved_over_live"] =
        static_cast<double>(pool.statistics().peak_reserved_bytes) /
        static_cast<double>(trace.peak_live());
}
void replay_decode(benchmark::State& state) {
    replayed(state, [](std::uint64_t seed) { return r9v_test::growing_decode(seed); });
}
void replay_vision(benchmark::State& state) {
    replayed(state, [](std::uint64_t seed) { return r9v_test::mixed_vision(seed); });
}
BENCHMARK(replay_decode)->ArgName("reserve")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(replay_vision)->ArgName("reserve")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
