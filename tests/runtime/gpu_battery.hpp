// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the tests on a GPU share, whether HIP compiles them or nvcc: checks without a test
// framework, plain kernels, and what a process holds.
#pragma once

#include <r9v/batcher.hpp>
#include <r9v/memory.hpp>
#include <r9v/plan.hpp>
#include <r9v/platform/device.hpp>
#include <r9v/stream.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace battery {

inline int failures = 0;
inline int checks = 0;

inline void expect(bool good, const char* what, const char* file, int line) {
    ++checks;
    if (good) return;
    ++failures;
    std::printf("%s:%d: %s\n", file, line, what);
}

#define R9V_EXPECT(condition) battery::expect((condition), #condition, __FILE__, __LINE__)

/// Whether `f` throws exactly an E.
template<class E, class F>
bool throws(F&& f) {
    try {
        f();
    } catch (const E&) {
        return true;
    } catch (...) {
        return false;
    }
    return false;
}

inline bool contains(const char* text, const char* part) {
    if (std::strstr(text, part) != nullptr) return true;
    std::printf("\"%s\" does not say \"%s\"\n", text, part);
    return false;
}

/// Counts are smaller on the emulator unless R9V_LONG is set, and elsewhere if R9V_SHORT is.
inline unsigned times(unsigned full) {
#if defined(R9V_TEST_HIP)
    const bool all = std::getenv("R9V_LONG") != nullptr;
#else
    const bool all = std::getenv("R9V_SHORT") == nullptr;
#endif
    return all ? full : full / 200;
}

/// Bytes of the process that are in memory.
inline long resident_bytes() {
    long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
        long all = 0;
        if (std::fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
        std::fclose(file);
    }
    return pages * 4096;
}

inline long free_device_bytes() {
    std::size_t free = 0, total = 0;
    (void)r9v::platform::memory_info(&free, &total);
    return static_cast<long>(free);
}

/// Runs `work` once to warm up, and again: it may not make the process or the device hold more.
template<class Warm, class Work>
void expect_no_growth(const char* what, const Warm& warm, const Work& work) {
    warm();
    const long resident = resident_bytes();
    const long free = free_device_bytes();
    work();
    const long grown = resident_bytes() - resident;
    const long taken = free - free_device_bytes();
    std::printf("%s: resident memory grew by %ld KiB, device memory by %ld KiB\n", what,
                grown / 1024, taken / 1024);
    R9V_EXPECT(grown < 4 << 20);
    R9V_EXPECT(taken < 4 << 20);
}

__global__ void affine(unsigned* out, const unsigned* in, unsigned factor, unsigned offset,
                       int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) out[i] = factor * in[i] + offset;
}

__global__ void add(unsigned* to, unsigned value, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) to[i] += value;
}

/// Queues affine() on a stream.
inline r9v::status queue_affine(r9v::platform::stream_handle s, unsigned* out, const unsigned* in,
                                unsigned factor, unsigned offset, int count) {
    r9v::runtime::stream_sink to{s};
    return r9v::call(affine, static_cast<unsigned>((count + 63) / 64), 64, out, in, factor, offset,
                     count)
        .send_to(to);
}

/// main() of a program that runs some of them.
inline int report(const char* name) {
    std::printf("%s: %d checks, %d failed\n", name, checks, failures);
    return failures == 0 && checks > 0 ? 0 : 1;
}

} // namespace battery
