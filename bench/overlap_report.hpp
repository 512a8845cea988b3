// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The measurements as a table, for a person.
#pragma once

#include "overlap_measure.hpp"

namespace measure {

inline void row(const char* what, const figure& f, double unit, const char* name) {
    std::printf("  %-34s %10.3f %s  [%.3f, %.3f]\n", what, f.median / unit, name, f.low / unit,
                f.high / unit);
}

inline void report_overlap(const char* title, const overlap_shape& shape) {
    const auto f = overlap_recipe{shape}.run();
    std::printf("%s: %.1f MiB in, %.1f MiB out, %d items, %d rounds, per item\n", title,
                static_cast<double>(shape.input_bytes) / (1 << 20),
                static_cast<double>(shape.output_bytes) / (1 << 20), shape.items, shape.rounds);
    row("compute only", f.compute, 1e-3, "ms");
    row("copies only", f.copies, 1e-3, "ms");
    row("serial", f.serial, 1e-3, "ms");
    row("overlapped", f.overlapped, 1e-3, "ms");
    std::printf("  (serial - overlapped) / min(copies, compute) = %.3f, speedup %.3fx\n", f.ratio,
                f.speedup);
}

inline void report_network(const network_shape& shape) {
    const auto f = small_network{shape}.run();
    std::printf("network at batch 1: %zu floats in, %d layers of %d, %zu out, per request\n",
                shape.input, shape.layers, shape.width, shape.output);
    row("one by one", f.one_by_one, 1e-6, "us");
    row("overlap ring", f.ring, 1e-6, "us");
    row("overlap ring, two producers", f.shared, 1e-6, "us");
    row("one by one, layers as a plan", f.one_by_one_plan, 1e-6, "us");
    row("overlap ring, plans", f.ring_plan, 1e-6, "us");
    row("overlap ring, plans, two producers", f.shared_plan, 1e-6, "us");
    const auto times = [](const figure& slow, const figure& fast) {
        return slow.median / fast.median;
    };
    std::printf("  throughput of the ring: %.3fx, with two producers %.3fx; with plans in both: "
                "%.3fx and %.3fx; all together %.3fx\n",
                times(f.one_by_one, f.ring), times(f.one_by_one, f.shared),
                times(f.one_by_one_plan, f.ring_plan), times(f.one_by_one_plan, f.shared_plan),
                times(f.one_by_one, f.shared_plan));
}

inline void report_plan(int launches, int rounds) {
    const auto f = plan_against_eager(launches, rounds);
    std::printf("%d small launches\n", launches);
    row("eager, until the device is done", f.eager, 1e-6, "us");
    row("replay, until the device is done", f.replay, 1e-6, "us");
    row("eager, host alone", f.eager_host, 1e-6, "us");
    row("replay, host alone", f.replay_host, 1e-6, "us");
    row("update of one step, host", f.update, 1e-6, "us");
    std::printf("  replay is %.2fx as fast; of the host's time %.2fx\n",
                f.eager.median / f.replay.median, f.eager_host.median / f.replay_host.median);
}

} // namespace measure
