// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How the examples measure and print what fusion saves. R9V_EXAMPLE_COUNTS: the emulator is there
// to be asked.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/platform/gpu.hpp>
#include <r9v/runtime/stream.hpp>

#include <hip/hip_runtime.h>
#if R9V_EXAMPLE_COUNTS
#include <r9v_emulator/testing.hpp>
#endif

#include <cstdio>

namespace savings {

inline void check(hipError_t result, const char* what) {
    r9v::throw_if_failed(r9v::platform::check(result, what));
}

/// What some work took. On a GPU `loaded` and `stored` are not known apart: see `bytes`.
struct cost {
    double kernels = 0;
    double loaded = 0;
    double stored = 0;
    double bytes = 0;
    double milliseconds = 0;
};

/// Bytes of the elements of all these views.
template<class... Views>
double bytes(const Views&... views) {
    return (0.0 + ... + (static_cast<double>(views.size()) * sizeof(typename Views::value_type)));
}

#if R9V_EXAMPLE_COUNTS

/// Whether measured() counts while the work runs, once.
inline constexpr bool counts = true;

// snippet: counts
template<class Work>
cost measured(const r9v::stream& s, double, const Work& work) {
    s.synchronize();
    r9v_emulator::reset_counts();
    work(s.handle());
    s.synchronize();
    const r9v_emulator::launch_totals all = r9v_emulator::totals();
    const auto loaded = static_cast<double>(all.counts.global_bytes_loaded);
    const auto stored = static_cast<double>(all.counts.global_bytes_stored);
    return {static_cast<double>(all.launches), loaded, stored, loaded + stored, 0};
}
// end snippet

inline void print_heading() {
    std::printf("%-36s %8s %10s %10s\n", "what fusion saves", "kernels", "MB loaded", "MB stored");
}
inline void print_row(const char* what, const cost& c) {
    std::printf("  %-34s %8.0f %10.2f %10.2f\n", what, c.kernels, c.loaded / 1e6, c.stored / 1e6);
}

#else

inline constexpr bool counts = false;

/// Captures the work once, counts its kernels and times replays of it.
template<class Work>
cost measured(const r9v::stream& s, double operand_bytes, const Work& work) {
    constexpr int replays = 50;
    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    hipEvent_t begin = nullptr, end = nullptr;
    std::size_t kernels = 0;
    float milliseconds = 0;
    check(hipStreamBeginCapture(s.handle(), hipStreamCaptureModeThreadLocal), "capture");
    work(s.handle());
    check(hipStreamEndCapture(s.handle(), &graph), "capture");
    check(hipGraphGetNodes(graph, nullptr, &kernels), "graph query");
    check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), "instantiation");
    check(hipEventCreate(&begin), "event");
    check(hipEventCreate(&end), "event");
    check(hipGraphLaunch(executable, s.handle()), "graph launch");
    check(hipEventRecord(begin, s.handle()), "event");
    for (int i = 0; i < replays; ++i)
        check(hipGraphLaunch(executable, s.handle()), "graph launch");
    check(hipEventRecord(end, s.handle()), "event");
    check(hipEventSynchronize(end), "synchronize");
    check(hipEventElapsedTime(&milliseconds, begin, end), "timing");
    (void)hipEventDestroy(begin);
    (void)hipEventDestroy(end);
    (void)hipGraphExecDestroy(executable);
    (void)hipGraphDestroy(graph);
    return {static_cast<double>(kernels), 0, 0, operand_bytes,
            static_cast<double>(milliseconds) / replays};
}

inline void print_heading() {
    std::printf("%-36s %8s %12s %12s\n", "what fusion saves", "kernels", "operand MB", "us");
}
inline void print_row(const char* what, const cost& c) {
    std::printf("  %-34s %8.0f %12.2f %12.1f\n", what, c.kernels, c.bytes / 1e6,
                c.milliseconds * 1e3);
}

#endif

/// The same for layers whose kernels go through a queue (bench/unfused_attention.hpp), which adds
/// up the operands in a first run.
template<class Queue, class Work>
cost measured(const r9v::stream& s, Queue& queue, const Work& work) {
    queue.bytes = 0;
    work();
    return measured(s, queue.bytes, [&](hipStream_t) { work(); });
}

inline void print(const cost& fused, const cost& unfused) {
    print_row("fused", fused);
    print_row("the same ops as separate kernels", unfused);
    std::printf("  fusion saves %.0f of %.0f kernels and %.0f %% of the bytes\n\n",
                unfused.kernels - fused.kernels, unfused.kernels,
                100 * (1 - fused.bytes / unfused.bytes));
}

inline bool saves(const cost& fused, const cost& unfused) {
    return fused.kernels < unfused.kernels && fused.bytes < unfused.bytes;
}

} // namespace savings
