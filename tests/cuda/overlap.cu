// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Streams, overlap and plans on an NVIDIA GPU: the battery of tests/runtime, and with `--measure`
// the measurements of bench/. Without a GPU it says so, and has shown that it compiles.
#include "../../bench/overlap_report.hpp"
#include "../runtime/overlap_battery.hpp"
#include "../runtime/plan_battery.hpp"

namespace {

/// One part must not keep the others from running.
template<class Part>
void run(const char* name, const Part& part) {
    try {
        part();
    } catch (const std::exception& e) {
        std::printf("%s: %s\n", name, e.what());
        R9V_EXPECT(!"the part ended early");
    }
    std::fflush(stdout);
}

void measure_all() {
    run("overlap", [] { measure::report_overlap("copies to the device beside compute", {}); });
    run("overlap", [] {
        measure::report_overlap("copies both ways beside compute", {.output_bytes = 64U << 20});
    });
    run("overlap",
        [] { measure::report_overlap("smaller blocks", {.input_bytes = 4U << 20, .items = 200}); });
    run("network", [] { measure::report_network({}); });
    run("network",
        [] { measure::report_network({.layers = 100, .width = 50'000, .requests = 200}); });
    run("network",
        [] { measure::report_network({.layers = 12, .width = 2'000'000, .requests = 200}); });
    run("plan", [] { measure::report_plan(50, 15); });
    run("plan", [] { measure::report_plan(400, 15); });
}

} // namespace

int main(int argc, char** argv) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no GPU: compiled, not run");
        return 0;
    }
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
    std::printf("%s, sm_%d%d\n", properties.name, properties.major, properties.minor);
    run("fork", battery::fork_tests);
    run("plan", battery::plan_tests);
    run("ring", battery::ring_tests);
    const int failed = battery::report("overlap and plans");
    if (argc > 1 && std::strcmp(argv[1], "--measure") == 0) measure_all();
    return failed;
}
