// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The memory pool on an NVIDIA GPU: the conformance battery over every resource and adaptor,
// capture, and speed against cudaMallocAsync in the same run, in alternating blocks. Without a GPU
// it only has to compile. `pool --quick` leaves the speed out; --require-gpu fails where there is
// none.
#include <r9v/memory_tools.hpp>
#include <r9v/stream.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <tests/runtime/pool_gpu_world.hpp>
#include <thread>
#include <vector>

namespace {

using namespace r9v_test;

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::printf("FAILED: %s\n", what);
}

void battery_on(const char* name, memory_resource& resource, std::uint64_t seeds) {
    int failed = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        gpu_world world{seed % 2 == 0 ? 0U : 20'000U};
        battery{world, resource}.run(seed);
        failed += world.failures;
    }
    failures += failed;
    std::printf("battery on %-34s %llu seeds, %d failures\n", name,
                static_cast<unsigned long long>(seeds), failed);
}

void conformance() {
    r9v::memory_pool pool;
    battery_on("memory_pool", pool, 50);
    r9v::memory_pool reserved{{.reserve = std::size_t{64} << 20}};
    battery_on("memory_pool with reserve", reserved, 10);
    r9v::basic_direct_memory<r9v::runtime::gpu_backend> direct;
    battery_on("direct_memory", direct, 3);
    r9v::counted_memory counted{pool};
    battery_on("counted_memory", counted, 5);
    r9v::limited_memory limited{pool, std::size_t{1} << 30};
    battery_on("limited_memory", limited, 5);
    r9v::logged_memory logged{pool};
    battery_on("logged_memory", logged, 5);
    r9v::retried_memory retried{pool, [](const r9v::memory_error&) {
                                    return false;
                                }};
    battery_on("retried_memory", retried, 5);
    r9v::tracked_memory tracked{pool};
    battery_on("tracked_memory", tracked, 5);
    expect(tracked.report().empty(), "nothing leaks");
}

/// Growth while a stream is captured; a graph replayed between eager work that allocates.
void capture() {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    r9v::memory_pool pool;
    gpu_world world{2000};
    auto s = world.make_stream();
    auto other = world.make_stream();
    pool.deallocate(pool.allocate(bytes, s));
    auto kept = pool.keep(s);
    cudaGraph_t graph{};
    cudaGraphExec_t ready{};
    expect(cudaStreamBeginCapture(s.handle(), cudaStreamCaptureModeGlobal) == cudaSuccess,
           "capture");
    void* p = nullptr;
    expect(pool.try_allocate(p, std::size_t{1} << 30, s).kind() ==
               memory_fault::growth_during_capture,
           "growth during capture is refused");
    void* q = nullptr;
    expect(pool.try_allocate(q, std::size_t{64} << 20, other).ok(), "another stream may grow");
    expect(pool.try_allocate(p, bytes, s).ok(), "own memory during capture");
    s.write(p, bytes, 5);
    s.expect(p, bytes, 5);
    expect(pool.try_deallocate(p, bytes).ok(), "free during capture");
    expect(cudaStreamEndCapture(s.handle(), &graph) == cudaSuccess, "the capture is still valid");
    expect(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess, "instantiate");
    kept.close();
    for (std::uint64_t round = 0; round < 200; ++round) {
        auto& eager = round % 2 == 0 ? s : other;
        void* const mine = pool.allocate(bytes, eager);
        eager.write(mine, bytes, 100 + round);
        expect(cudaGraphLaunch(ready, s.handle()) == cudaSuccess, "replay");
        eager.expect(mine, bytes, 100 + round);
        pool.deallocate(mine, bytes);
    }
    kept.give_back(s);
    pool.deallocate(q);
    world.settle();
    (void)cudaGraphExecDestroy(ready);
    (void)cudaGraphDestroy(graph);
    failures += world.failures;
    std::printf("capture: 200 replays between eager work, %d failures\n", int{world.failures});
}

/// Nanoseconds of one call of `pair`, over `calls` calls.
template<class Pair>
double time_of(int calls, Pair pair) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
        pair();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
               .count() /
           calls;
}
double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void against_runtime(std::size_t bytes) {
    r9v::memory_pool pool;
    r9v::memory_pool trusting{{.raw = r9v::raw_streams::outlive_pool}};
    const r9v::stream s;
    cudaMemPool_t driver{};
    std::uint64_t forever = ~std::uint64_t{0};
    (void)cudaDeviceGetDefaultMemPool(&driver, 0);
    (void)cudaMemPoolSetAttribute(driver, cudaMemPoolAttrReleaseThreshold, &forever);
    std::vector<double> own;
    std::vector<double> raw;
    std::vector<double> marked;
    std::vector<double> async;
    for (int block = 0; block < 101; ++block) { // the first warms up
        const int calls = block == 0 ? 2000 : 1000;
        own.push_back(time_of(calls, [&] { pool.deallocate(pool.allocate(bytes, s), bytes); }));
        async.push_back(time_of(calls, [&] {
            void* p = nullptr;
            (void)cudaMallocAsync(&p, bytes, s.handle());
            (void)cudaFreeAsync(p, s.handle());
        }));
        raw.push_back(time_of(
            calls, [&] { trusting.deallocate(trusting.allocate(bytes, s.handle()), bytes); }));
        marked.push_back(
            time_of(calls, [&] { pool.deallocate(pool.allocate(bytes, s.handle()), bytes); }));
        if (block % 10 == 0) s.synchronize();
    }
    const double ratio = median(async) / median(own);
    std::printf(
        "allocate+free of %9zu bytes: r9v::stream %6.0f ns, raw handle %6.0f ns (outlives the "
        "pool) / %6.0f ns (may end), cudaMallocAsync %6.0f ns: %.1f times as fast\n",
        bytes, median(own), median(raw), median(marked), median(async), ratio);
    expect(ratio >= 5, "5 times as fast as cudaMallocAsync");
}

void threads_against_runtime() {
    r9v::memory_pool pool;
    const auto run = [&](auto pair) {
        std::vector<double> times(8);
        std::vector<std::thread> threads;
        for (double& time : times)
            threads.emplace_back([&] {
                const r9v::stream s;
                std::vector<double> blocks;
                for (int block = 0; block < 50; ++block)
                    blocks.push_back(time_of(1000, [&] { pair(s); }));
                time = median(blocks);
            });
        for (std::thread& one : threads)
            one.join();
        return median(times);
    };
    const double own =
        run([&](const r9v::stream& s) { pool.deallocate(pool.allocate(4096, s), 4096); });
    const double async = run([](const r9v::stream& s) {
        void* p = nullptr;
        (void)cudaMallocAsync(&p, 4096, s.handle());
        (void)cudaFreeAsync(p, s.handle());
    });
    std::printf("8 threads, 4096 bytes: r9v %.0f ns, cudaMallocAsync %.0f ns: %.1f times as fast\n",
                own, async, async / own);
}

/// Random sizes on 4 streams, at most 256 live.
template<class Allocate, class Free>
double mixed(Allocate allocate, Free release) {
    std::mt19937_64 random{1};
    std::vector<std::pair<void*, std::size_t>> live;
    const double time = time_of(100'000, [&] {
        if (live.size() < 256 && random() % 2 == 0) {
            const std::size_t bytes = (random() % 256 + 256) << random() % 12;
            live.emplace_back(allocate(bytes, random() % 4), bytes);
        } else if (!live.empty()) {
            std::swap(live[random() % live.size()], live.back());
            release(live.back().first, random() % 4);
            live.pop_back();
        }
    });
    for (const auto& [p, bytes] : live)
        release(p, 0);
    return time;
}
void mixes_against_runtime() {
    r9v::memory_pool pool;
    const r9v::stream streams[4];
    std::vector<double> own;
    std::vector<double> async;
    for (int round = 0; round < 5; ++round) {
        own.push_back(
            mixed([&](std::size_t n, std::size_t s) { return pool.allocate(n, streams[s]); },
                  [&](void* p, std::size_t s) { pool.deallocate(p, r9v::any_size, streams[s]); }));
        async.push_back(mixed(
            [&](std::size_t n, std::size_t s) {
                void* p = nullptr;
                (void)cudaMallocAsync(&p, n, streams[s].handle());
                return p;
            },
            [&](void* p, std::size_t s) { (void)cudaFreeAsync(p, streams[s].handle()); }));
        (void)cudaDeviceSynchronize();
    }
    std::printf(
        "random mix on 4 streams, a call: r9v %.0f ns, cudaMallocAsync %.0f ns: %.1f times as "
        "fast\n",
        median(own), median(async), median(async) / median(own));
}

} // namespace

int main(int count, char** arguments) {
    bool quick = false;
    bool required = false;
    for (int i = 1; i < count; ++i) {
        quick = quick || std::strcmp(arguments[i], "--quick") == 0;
        required = required || std::strcmp(arguments[i], "--require-gpu") == 0;
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("no NVIDIA GPU: compiled, not run\n");
        return required ? 1 : 0;
    }
    cudaDeviceProp properties{};
    (void)cudaGetDeviceProperties(&properties, 0);
    std::printf("%s\n", properties.name);
    conformance();
    capture();
    if (!quick) {
        for (const std::size_t bytes :
             {std::size_t{4096}, std::size_t{1} << 20, std::size_t{64} << 20})
            against_runtime(bytes);
        threads_against_runtime();
        mixes_against_runtime();
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
