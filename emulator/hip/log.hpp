// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What launches did and what went wrong in them, for reports, error codes and the test interface.
#pragma once

#include "device/launch.hpp"
#include "r9v_emulator/testing.hpp"
#include <atomic>
#include <hip/hip_runtime_api.h>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace r9v_emulator::hip {

class launch_log {
public:
    static launch_log& instance();

    /// Enters a finished launch; prints and keeps its faults.
    void enter(const launch_request& request, launch_result&& result);
    /// Enters a fault that no launch owns (a copy, for instance).
    void enter(fault&& report);

    hipError_t sticky() const { return sticky_.load(std::memory_order_acquire); }
    std::vector<fault> take_faults();
    launch_record last() const;
    launch_totals totals() const;
    void reset();

    /// Faults that were printed and that nobody took.
    std::size_t unread() const;

private:
    void keep(fault&& report);

    mutable std::mutex mutex_;
    std::atomic<hipError_t> sticky_ = hipSuccess;
    launch_record last_;
    launch_totals totals_;
    std::vector<fault> faults_;
    std::set<std::string> printed_;
};

/// Adds every field.
void add(launch_counts& sum, const launch_counts& more);

} // namespace r9v_emulator::hip
