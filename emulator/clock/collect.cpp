// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// From what was recorded to what a replay reads: each instruction that occurs is described once.
#include "../decode/program.hpp"
#include "replay.hpp"
#include <unordered_set>

namespace r9v_emulator::clock {

u64 launch_trace::executed() const {
    u64 sum = 0;
    for (const auto& g : groups)
        sum += g->executed;
    return sum;
}

void collect(recorder& kept, const program& code, launch_trace& trace) {
    constexpr u32 unknown = ~0u;
    trace.groups = kept.take();
    trace.op_of_slot.assign(code.size(), unknown);
    trace.ops.clear();
    std::unordered_set<u64> seen; // loops repeat their runs
    for (const auto& g : trace.groups)
        for (const wave_trace& w : g->waves)
            for (const code_run& run : w.runs) {
                if (!seen.insert(u64{run.first} << 32 | run.count).second) continue;
                u32 slot = run.first;
                for (u32 n = 0; n < run.count; ++n) {
                    u32& number = trace.op_of_slot[slot];
                    if (number == unknown) {
                        number = static_cast<u32>(trace.ops.size());
                        trace.ops.push_back(time_op(code, slot));
                    }
                    slot += trace.ops[number].advance;
                }
            }
}

} // namespace r9v_emulator::clock
