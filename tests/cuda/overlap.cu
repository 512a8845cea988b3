// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Streams, overlap and plans on an NVIDIA GPU: the battery of tests/runtime, and with `--measure`
// the measurements of bench/. Without a GPU it says so, and has shown that it compiles.
#include "../../bench/overlap_report.hpp"
#include "../runtime/overlap_battery.hpp"
#include "../runtime/plan_battery.hpp"

int main(int argc, char** argv) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no GPU: compiled, not run");
        return 0;
    }
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
    std::printf("%s, sm_%d%d\n", properties.name, properties.major, properties.minor);
    battery::ring_tests();
    battery::fork_tests();
    battery::plan_tests();
    const int failed = battery::report("overlap and plans");
    if (argc < 2 || std::strcmp(argv[1], "--measure") != 0) return failed;

    measure::report_overlap("copies to the device beside compute", {});
    measure::report_overlap("copies both ways beside compute", {.output_bytes = 64U << 20});
    measure::report_overlap("smaller blocks", {.input_bytes = 4U << 20, .items = 200});
    measure::report_network({});
    measure::report_network({.layers = 100, .width = 50'000, .requests = 200});
    measure::report_network({.layers = 12, .width = 2'000'000, .requests = 200});
    measure::report_plan(50, 15);
    measure::report_plan(400, 15);
    return failed;
}
