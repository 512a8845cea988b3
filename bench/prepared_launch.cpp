// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a prepared launch costs the host beyond the runtime's own call: `prepared` against `bare`, a
// hipLaunchKernel of an empty kernel whose argument is the same program. `checked` is a launch that
// was not prepared: checks and choice of the tile included.
//
// The launches go into a stream that is being captured, so that nothing runs and the host's work
// alone is measured. check_prepared_launch.py holds the difference to its budget of 2 us.
#include <r9v/gemm.hpp>
#include <r9v/memory.hpp>
#include <r9v/stream.hpp>

#include "device.hpp"
#include <chrono>
#include <vector>

namespace {

using namespace r9v;

constexpr int launches = 200; // in one capture, whose beginning and end are not measured

template<class Program>
__global__ void empty(Program) {}

template<class Launch>
void capture(benchmark::State& state, const Launch& one) {
    using clock = std::chrono::steady_clock;
    const stream s;
    for (auto _ : state) {
        hipGraph_t graph = nullptr;
        bench::check(hipStreamBeginCapture(s.handle(), hipStreamCaptureModeThreadLocal), "capture");
        const auto begin = clock::now();
        for (int i = 0; i < launches; ++i)
            one(s.handle());
        const std::chrono::duration<double> took = clock::now() - begin;
        bench::check(hipStreamEndCapture(s.handle(), &graph), "capture");
        bench::check(hipGraphDestroy(graph), "graph");
        state.SetIterationTime(took.count());
    }
    state.counters["seconds_per_launch"] = benchmark::Counter{
        launches, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert};
}

/// A program with the usual number of operands. Nothing runs, so sizes do not matter.
struct layer {
    buffer<half> x{64 * 64}, w{64 * 64}, y{64 * 64};
    buffer<float> b{64};

    [[nodiscard]] auto program() const {
        const auto to = y.view({64, 64});
        return gemm(x.view({64, 64}), w.view({64, 64})) | bias(b.view({64})) | silu() | store(to);
    }
};

void bare_call(benchmark::State& state) {
    const layer l;
    auto p = l.program();
    const auto* const kernel = reinterpret_cast<const void*>(&empty<decltype(p)>);
    void* arguments[] = {&p};
    capture(state, [&](hipStream_t s) {
        bench::check(hipLaunchKernel(kernel, dim3{1}, dim3{256}, arguments, 0, s), "launch");
    });
}

void prepared_launch(benchmark::State& state) {
    const layer l;
    const auto p = prepare(l.program());
    capture(state, [&](hipStream_t s) { launch(s, p); });
}

void checked_launch(benchmark::State& state) {
    const layer l;
    const auto p = l.program();
    capture(state, [&](hipStream_t s) { launch(s, p); });
}

void add_all(int, char**) {
    benchmark::RegisterBenchmark("bare", bare_call)->UseManualTime();
    benchmark::RegisterBenchmark("prepared", prepared_launch)->UseManualTime();
    benchmark::RegisterBenchmark("checked", checked_launch)->UseManualTime();
}

} // namespace

int main(int argc, char** argv) {
    return bench::run_all(argc, argv, add_all);
}
