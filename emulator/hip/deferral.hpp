// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The adversary among streams. A program that forgot to wait is right by luck on a device that is
// done at once. With a seed, queued work is held back until somebody waits, and then done in an
// order that the seed picks from those which streams and events allow.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace r9v_emulator::hip {

class deferral {
public:
    static deferral& instance();

    /// Whether work is held back: R9V_EMULATOR_SEED is not 0.
    static bool wanted();

    /// Work was queued. Programs may also wait by looking at memory, so what is left alone for a
    /// while gets done in the end.
    void expect_progress();
    /// Does one piece of work of a stream whose turn it may be. False where nothing can start.
    bool step();
    /// A program looks at the device without waiting for it: now and then, work goes on.
    void glance();

private:
    std::uint64_t next_random();
    void keep_going();

    std::mutex mutex_;
    std::condition_variable queued_;
    std::atomic<std::uint64_t> steps_ = 0;
    std::uint64_t random_ = 0;
    bool keeper_runs_ = false;
    bool left_alone_ = false;
};

} // namespace r9v_emulator::hip
