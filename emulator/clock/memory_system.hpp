// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// From a compute unit to DRAM: tags of L0, scalar cache, L2 and Infinity Cache, and a server with a
// bandwidth at each step. Answers when the data of a line is there.
#pragma once

#include "cache.hpp"
#include "parameters.hpp"
#include <unordered_set>
#include <vector>

namespace r9v_emulator::clock {

/// What outlives a launch.
struct device_caches {
    cache l2, infinity;
    std::unordered_set<u32> pages; ///< 2 MiB pages that were touched
    double base = 0; ///< cycles before the present launch, which counts its own from zero

    explicit device_caches(const card& c);
    void clear();
    /// As if `lines` other lines of 128 bytes had come through.
    void age(u64 lines);

private:
    u32 foreign_ = 0x60000000;
};

/// Lines of 128 bytes unless named otherwise; cycles that a server was busy.
struct memory_traffic {
    u64 l0_lines = 0, l0_hits = 0;
    u64 l2_lines = 0, l2_hits = 0;
    u64 infinity_requests = 0, infinity_hits = 0; ///< of 256 bytes (RDNA3: 128)
    u64 dram_read_bytes = 0, dram_written_bytes = 0, l2_written_lines = 0;
    double l2_busy = 0, infinity_busy = 0, dram_busy = 0;
};

class memory_system {
public:
    /// `written_bytes`: what the whole launch stores, of which the trace may show a part. Beyond a
    /// cache's size, stores pass through it.
    memory_system(const card& c, outlook o, double ghz, device_caches& kept, u64 written_bytes);

    /// When a line that a CU asks for at `time` is in its registers.
    double load(unsigned cu, u32 line, double time);
    double scalar_load(unsigned processor, u32 line, double time);
    /// When a stored line has reached L2.
    double store(unsigned cu, u32 line, double time);
    double atomic(unsigned cu, u32 line, double time);
    void invalidate(unsigned cu) { l0_[cu].clear(); }

    const memory_traffic& traffic() const { return traffic_; }

private:
    double from_l2(double& link, u32 line, double time);
    double from_fabric(u32 line, double time);
    double page_walk(u32 line);

    const card& card_;
    device_caches& kept_;
    std::vector<cache> l0_, scalar_;
    std::vector<double> link_, l0_free_, scalar_link_;
    double l2_free_ = 0, infinity_free_ = 0, dram_free_ = 0;
    double l0_latency_, l2_latency_, infinity_latency_, dram_latency_, scalar_latency_, walk_;
    double l2_bytes_, infinity_bytes_, dram_bytes_; ///< a cycle
    bool stores_leave_l2_, stores_leave_infinity_;
    memory_traffic traffic_;
};

} // namespace r9v_emulator::clock
