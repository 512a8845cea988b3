// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How benchmarks run device work under Google Benchmark: on a GPU with event times, on the emulator
// with one execution and what it counted. The emulator's own speed says nothing about a GPU's, so
// it is reported under names that say whose it is.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/core/integers.hpp>
#include <r9v/numeric/convert.hpp>
#include <r9v/platform/gpu.hpp>
#include <r9v/runtime/stream.hpp>

#include <benchmark/benchmark.h>
#include <hip/hip_runtime.h>
#if R9V_BENCH_EMULATOR
#include <r9v_emulator/testing.hpp>
#endif

#include <random>
#include <vector>

namespace bench {

#if R9V_BENCH_EMULATOR
inline constexpr bool on_emulator = true;
#else
inline constexpr bool on_emulator = false;
#endif

inline void check(hipError_t result, const char* what) {
    r9v::throw_if_failed(r9v::platform::check(result, what));
}

/// Small random values, always the same: zeros would let a GPU clock higher than real data does.
template<class T>
std::vector<T> random(r9v::index_t count, unsigned seed) {
    std::minstd_rand bits{seed + 1};
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values)
        value = r9v::from_float<T>(static_cast<float>(bits() % 2001) / 1000.0f - 1.0f);
    return values;
}

/// What a benchmark's work does in principle.
struct work_size {
    double flops = 0;
    double bytes = 0; ///< each tensor once, as read and written by each kernel
};

#if R9V_BENCH_EMULATOR

/// Counters of what the emulator saw in one execution of the work; deterministic.
inline void add_counts(benchmark::State& state, const r9v_emulator::launch_totals& all) {
    const auto& c = all.counts;
    const auto number = [](std::uint64_t count) {
        return static_cast<double>(count);
    };
    // A transcendental instruction keeps its quarter-rate unit busy for four cycles.
    const double vector_cycles = number(c.wmma_cycles + c.valu_cycles + 4 * c.transcendental);
    auto& counters = state.counters;
    counters["kernels"] = number(all.launches);
    counters["waves"] = number(c.waves);
    counters["wmma"] = number(c.wmma);
    counters["wmma_share"] = vector_cycles == 0 ? 0 : number(c.wmma_cycles) / vector_cycles;
    counters["vector_cycles"] = vector_cycles;
    counters["valu"] = number(c.valu);
    counters["transcendental"] = number(c.transcendental);
    counters["salu"] = number(c.salu);
    counters["bytes_loaded"] = number(c.global_bytes_loaded);
    counters["bytes_stored"] = number(c.global_bytes_stored);
    counters["lines_loaded"] = number(c.global_lines_loaded);
    counters["lines_stored"] = number(c.global_lines_stored);
    counters["lds_passes"] = number(c.lds_load_passes + c.lds_store_passes);
    counters["lds_passes_ideal"] = number(c.lds_load_passes_ideal + c.lds_store_passes_ideal);
    counters["scratch"] = number(c.scratch_accesses);
}

template<class Work>
void run(benchmark::State& state, const r9v::stream& s, const work_size& size, const Work& work) {
    s.synchronize();
    r9v_emulator::reset_counts();
    for (auto _ : state) {
        work(s.handle());
        s.synchronize();
    }
    r9v_emulator::launch_totals all = r9v_emulator::totals();
    add_counts(state, all);
    state.counters["operand_bytes"] = size.bytes;
    state.counters["emulator_FLOP/s"] =
        benchmark::Counter{size.flops, benchmark::Counter::kIsIterationInvariantRate};
}

#else

/// Each iteration is timed by events around `work`, after one execution to warm up.
template<class Work>
void run(benchmark::State& state, const r9v::stream& s, const work_size& size, const Work& work) {
    hipEvent_t begin = nullptr, end = nullptr;
    check(hipEventCreate(&begin), "event");
    check(hipEventCreate(&end), "event");
    work(s.handle());
    s.synchronize();
    for (auto _ : state) {
        float milliseconds = 0;
        check(hipEventRecord(begin, s.handle()), "event");
        work(s.handle());
        check(hipEventRecord(end, s.handle()), "event");
        check(hipEventSynchronize(end), "synchronize");
        check(hipEventElapsedTime(&milliseconds, begin, end), "timing");
        state.SetIterationTime(static_cast<double>(milliseconds) / 1e3);
    }
    (void)hipEventDestroy(begin);
    (void)hipEventDestroy(end);
    state.counters["operand_bytes"] = size.bytes;
    state.counters["FLOP/s"] =
        benchmark::Counter{size.flops, benchmark::Counter::kIsIterationInvariantRate};
    state.counters["bytes/s"] =
        benchmark::Counter{size.bytes, benchmark::Counter::kIsIterationInvariantRate};
}

#endif

/// One execution is exact on the emulator; a GPU needs many.
inline benchmark::internal::Benchmark* configured(benchmark::internal::Benchmark* b) {
    if (on_emulator) return b->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();
    return b->UseManualTime()->Unit(benchmark::kMicrosecond);
}

/// main() of every benchmark: `add` registers, after the flags were read.
template<class Add>
int run_all(int argc, char** argv, const Add& add) {
    benchmark::Initialize(&argc, argv);
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, 0), "device query");
    benchmark::AddCustomContext("device", properties.name);
    benchmark::AddCustomContext("gfx", properties.gcnArchName);
    benchmark::AddCustomContext("times_are_of", on_emulator ? "the emulator" : "the device");
    add(argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

} // namespace bench
