// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the clock needs of an execution: for each wave the instructions in the order in which it ran
// them, as runs of straight code, and for each memory access the lines or LDS passes it took.
#pragma once

#include "../wave/types.hpp"
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace r9v_emulator {
struct wave;
struct op;
class program;
} // namespace r9v_emulator

namespace r9v_emulator::clock {

constexpr unsigned line_bytes = 128;
/// Lines of scratch are numbered apart from those of memory.
constexpr u32 scratch_line = u32{1} << 31;

/// Straight code: `count` instructions from the dword `first` of the code on.
struct code_run {
    u32 first, count;
};

/// Ahead of an access's lines in wave_trace::data.
struct access_header {
    u32 lines : 8, passes : 12, ideal : 12;
};
static_assert(sizeof(access_header) == 4);

struct wave_trace {
    std::vector<code_run> runs;
    std::vector<u32> data; ///< for each memory access a header, then its lines of 128 bytes
    u64 executed = 0;
    u32 next = ~0u; ///< dword that follows the last instruction
};

struct group_trace {
    u64 order = 0; ///< place in the order of dispatch
    u64 executed = 0;
    std::vector<wave_trace> waves;
};

/// Keeps the first workgroups of a launch: at least `minimum` of them, then as many as fit into
/// `budget` instructions.
class recorder {
public:
    recorder(u64 minimum, u64 budget, u32 waves)
        : minimum_(minimum),
          budget_(budget),
          waves_(waves) {}

    /// The trace that workgroup number `order` of the dispatch fills; nullptr when it is not kept.
    group_trace* begin(u64 order);
    void finish(group_trace& trace);
    /// What is kept, in order. The same for each execution of the same launch.
    std::vector<std::unique_ptr<group_trace>> take();

private:
    u64 minimum_, budget_;
    u32 waves_;
    std::atomic<u64> executed_{0};
    std::mutex mutex_;
    std::vector<std::unique_ptr<group_trace>> groups_;
};

/// Notes the instruction that `w` is about to execute.
void record(wave& w, const op& o);

} // namespace r9v_emulator::clock
