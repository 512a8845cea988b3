// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One instruction of the code as the clock sees it: which unit executes it, for how long, which
// registers it needs and makes.
#pragma once

#include "../wave/op.hpp"
#include <string>
#include <vector>

namespace r9v_emulator {
class program;
}

namespace r9v_emulator::clock {

enum class unit : u8 {
    valu,
    transcendental,
    wmma,
    salu,
    branch,
    scalar_memory,
    lds,
    load,
    store,
    wait,
    signal,       ///< arrives at the workgroup's barrier
    barrier_wait, ///< waits for it
    barrier,      ///< gfx11: both at once
    sleep,
    priority,
    invalidate, ///< drops the L0
    end,
    other
};

/// Operand index (wave/op.hpp) and how many registers from it on; SCC has an index of its own.
struct register_range {
    u16 first = 0;
    u8 count = 0;
    bool address = false; ///< of a memory access
};
constexpr u16 scc_index = taint_count;

/// Counters that a wait waits down to; `none` leaves a counter alone.
struct wait_counts {
    static constexpr u8 none = 0xff;
    u8 load = none, store = none, local = none, scalar = none;
};

struct timed_op {
    u32 slot = 0; ///< dword of the code
    unit what = unit::other;
    u8 occupancy = 1; ///< cycles of the vector ALU, or of an SALU result
    u8 issue = 1;     ///< cycles that the wave needs to hand it over (stores: more than one)
    u8 advance = 1;
    bool returns = false;    ///< counts as a load: data comes back
    bool wide_local = false; ///< an LDS access of 16 bytes a lane
    bool memory = false;     ///< has an access in the trace
    bool eight_bit = false;  ///< WMMA on 8-bit or narrower elements
    bool four_bit = false;   ///< WMMA on 4-bit elements
    u16 immediate = 0;
    wait_counts waits;
    u8 reads = 0, writes = 0;
    register_range read[8];
    register_range write[4];
    op_class cls = op_class::other;
};

/// The instruction that stands at this dword of the code.
timed_op time_op(const program& code, u32 slot);
/// Cycles that a WMMA takes on RDNA3, where RDNA4 takes `occupancy`.
unsigned rdna3_occupancy(const timed_op& o);

} // namespace r9v_emulator::clock
