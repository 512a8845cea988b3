// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Events: marks in a stream. A record that happens replaces the one before.
#pragma once

#include "hip/stream.hpp"
#include <chrono>
#include <hip/hip_runtime_api.h>
#include <memory>
#include <mutex>
#include <vector>

namespace r9v_emulator::hip {

using event_clock = std::chrono::steady_clock;

/// One recording of an event.
struct event_record {
    std::mutex mutex;
    ticket point; ///< reached once the record has been executed
    std::atomic<event_clock::time_point> stamp = event_clock::time_point();
    std::atomic<double> modelled = 0; ///< microseconds of the card, where the clock is on
};

/// What hipEvent_t points to.
class event {
public:
    explicit event(unsigned flags) : flags_(flags) {}

    bool timed() const { return (flags_ & hipEventDisableTiming) == 0; }

    /// Records into a stream, after the work that is in it and after `after`.
    void record(stream& where, std::span<const ticket> after);
    /// The last record, or empty before the first.
    std::shared_ptr<event_record> current() const;
    /// Makes a record made by a graph the current one.
    void replace(std::shared_ptr<event_record> record);

    // Set while the last record belongs to a capture; see capture.hpp. Guarded by capture_mutex().
    std::weak_ptr<capture> captured;
    std::vector<hipGraphNode_t> captured_nodes;

private:
    const unsigned flags_;
    mutable std::mutex mutex_;
    std::shared_ptr<event_record> current_;
};

/// All live events of the process.
class event_table {
public:
    static event_table& instance();

    hipEvent_t create(unsigned flags);
    std::shared_ptr<event> find(hipEvent_t handle);
    bool destroy(hipEvent_t handle);

private:
    std::mutex mutex_;
    std::unordered_map<hipEvent_t, std::shared_ptr<event>> events_;
};

/// Milliseconds between two records that have been executed: modelled time where the clock is on,
/// else host time.
float elapsed_milliseconds(const event_record& from, const event_record& to);

} // namespace r9v_emulator::hip
