// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Order of accesses to device memory between the waves of one launch. Waves of a workgroup are
// ordered by its barriers. Waves of different workgroups are ordered where one has released what it
// did (it stored or changed something with a scope, with no store of its own outstanding) before
// the other acquired (invalidated its caches). Which flag passed between them is not followed: what
// happens to have been released in time counts as ordered, so that some races go unseen, and no
// program that synchronizes is reported.
#pragma once

#include "../device/memory.hpp"
#include "../wave/types.hpp"
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace r9v_emulator {

/// What one launch knows beside the memory's words of last writers and readers.
class global_order {
public:
    explicit global_order(memory& device);

    bool active() const { return launch_ != 0; }
    u64 launch() const { return launch_; }
    /// The launch is done and has moved so many bytes.
    void end(u64 bytes);

    u64* writers() const { return writers_; }
    u64* readers() const { return readers_; }

    /// A wave's next release; `wave` names it within the launch.
    void release(u64 wave);
    u64 now() const { return clock_.load(); }
    /// Whether release number `number` of a wave came at `time` or before.
    bool released(u64 wave, u32 number, u64 time);

private:
    memory& device_;
    u64 launch_ = 0;
    u64* writers_ = nullptr;
    u64* readers_ = nullptr;
    std::atomic<u64> clock_ = 0;
    std::mutex mutex_;
    std::unordered_map<u64, std::vector<u64>> releases_;
};

} // namespace r9v_emulator
