// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Replays the trace of a launch on a model of the device: dispatch, four SIMDs a workgroup
// processor with an in-order queue each, LDS of each half, barriers, and the memory system. Time is
// in cycles of the shader clock.
#pragma once

#include "memory_system.hpp"
#include "parameters.hpp"
#include "timed_op.hpp"
#include "trace.hpp"
#include <memory>
#include <span>
#include <vector>

namespace r9v_emulator::clock {

/// One launch as it was recorded.
struct launch_trace {
    std::vector<std::unique_ptr<group_trace>> groups; ///< the first ones in the order of dispatch
    std::vector<timed_op> ops;
    std::vector<u32> op_of_slot; ///< index into ops by dword of code
    u64 total_groups = 0;
    u64 total_executed = 0; ///< wave instructions of the whole launch
    u64 stored_bytes = 0;   ///< of the whole launch
    u32 waves_a_group = 1;
    u32 vgprs = 0, lds_bytes = 0;
    bool processor_mode = true; ///< WGP mode: a workgroup's waves use all four SIMDs

    u64 executed() const; ///< wave instructions of the workgroups recorded
};

/// What `kept` holds after a launch; `trace` says already how the launch is shaped.
void collect(recorder& kept, const program& code, launch_trace& trace);

/// Why waves did not issue.
enum class stall : u8 { load, local, scalar, store, barrier, dependency, queue, branch, count };

struct op_time {
    u64 executed = 0;
    u64 cycles = 0; ///< of waves, from the instruction before to this one
};

struct replay_result {
    double cycles = 0;                      ///< until all that was recorded is done
    std::vector<double> group_start;        ///< in order of dispatch
    u32 resident = 0;                       ///< workgroups that the device holds at one time
    u32 waves_a_simd = 0;                   ///< most that a SIMD held
    double wmma16_busy = 0, wmma8_busy = 0; ///< cycles, summed over SIMDs
    double valu_busy = 0, transcendental_busy = 0;
    double bubbles = 0;  ///< between WMMA and others
    double lds_busy = 0; ///< summed over halves
    double l0_busy = 0;  ///< summed over CUs
    u64 stalls[static_cast<unsigned>(stall::count)] = {};
    std::vector<op_time> ops;
    memory_traffic traffic;
};

/// How many workgroups of the launch the device holds at one time.
u32 resident_groups(const card& c, const launch_trace& trace);

replay_result replay(const launch_trace& trace, const card& c, outlook o, double ghz,
                     device_caches& kept);

} // namespace r9v_emulator::clock
