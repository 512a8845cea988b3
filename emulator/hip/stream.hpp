// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Streams: queues of operations. Work whose predecessors are done runs at once, on the thread that
// enqueues it; everything else waits in the queue for the stream's own thread. With a seed, all
// work waits in the queue, see deferral.hpp.
#pragma once

#include "clock/timeline.hpp"
#include "hip/operation.hpp"
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <hip/hip_runtime_api.h>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace r9v_emulator::hip {

class stream;
struct capture;

/// A point in a stream's order.
struct ticket {
    std::shared_ptr<stream> owner; ///< empty: a point that was always reached
    std::uint64_t sequence = 0;

    bool done() const;
    void wait() const;
    /// When it was reached in modelled time; of a point that is done.
    double modelled() const;
};

class stream : public std::enable_shared_from_this<stream> {
public:
    stream(unsigned flags, int priority, bool legacy, unsigned device)
        : flags_(flags),
          priority_(priority),
          legacy_(legacy),
          device_(device) {}

    /// Enqueues work after everything in this stream and after `after`.
    ticket submit(operation work, std::span<const ticket> after = {});
    /// Whether submit() would do the work before it returns.
    bool would_run_now(std::span<const ticket> after);
    /// Work enqueued from now on waits for `point`.
    void wait_for(const ticket& point);

    /// Starts the work at the head of the queue; false where there is none or it has to wait. Work
    /// that may block has a thread of its own, everything else is done on return.
    bool start_next();

    bool idle() const { return completed_.load() == submitted_.load(); }
    ticket last() { return {shared_from_this(), submitted_.load()}; }
    void synchronize() { last().wait(); }
    bool reached(std::uint64_t sequence) const { return completed_.load() >= sequence; }

    unsigned flags() const { return flags_; }
    int priority() const { return priority_; }
    /// The null stream, which every blocking stream is ordered with.
    bool legacy() const { return legacy_; }
    unsigned device() const { return device_; }
    bool blocking() const { return !legacy_ && (flags_ & hipStreamNonBlocking) == 0; }
    hipStream_t handle() const;

    clock::track modelled; ///< its place in modelled time

    // Capture state; see capture.hpp. Guarded by capture_mutex().
    std::shared_ptr<capture> capturing;
    std::vector<hipGraphNode_t> frontier;

private:
    struct queued {
        operation work;
        std::vector<ticket> after;
        std::uint64_t sequence = 0;
        double not_before = 0; ///< in modelled time
    };

    void run_here(const operation& work, std::uint64_t sequence,
                  std::unique_lock<std::mutex>& lock);
    void start_worker();
    void serve();

    const unsigned flags_;
    const int priority_;
    const bool legacy_;
    const unsigned device_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<queued> queue_;
    std::vector<ticket> pending_waits_;
    double not_before_ = 0; ///< in modelled time, of the work that is enqueued next
    bool busy_ = false;
    bool worker_running_ = false;
    std::atomic<std::uint64_t> submitted_ = 0;
    std::atomic<std::uint64_t> completed_ = 0;
};

/// All live streams of the process.
class stream_table {
public:
    static stream_table& instance();

    /// The null stream of the selected device.
    stream& null_stream() { return *null_[selected_device()]; }
    hipStream_t create(unsigned flags, int priority);
    /// The stream of a handle (also 0 and hipStreamPerThread), or empty where it is not live.
    std::shared_ptr<stream> find(hipStream_t handle);
    bool destroy(hipStream_t handle);
    std::vector<std::shared_ptr<stream>> all();
    /// Those with work that is not done, destroyed ones included.
    std::vector<std::shared_ptr<stream>> unfinished();

    /// What an operation in `which` must wait for by the rules of the null stream.
    std::vector<ticket> implied_order(stream& which);

    /// Waits for the work of all devices, or of one.
    void synchronize_all();
    void synchronize_device(unsigned device);

private:
    stream_table();
    std::shared_ptr<stream> of_this_thread();
    void synchronize(std::span<const std::shared_ptr<stream>> which);

    std::mutex mutex_;
    std::array<std::shared_ptr<stream>, most_devices> null_;
    std::vector<std::shared_ptr<stream>> streams_;
    std::vector<std::shared_ptr<stream>> ended_; ///< destroyed with work that is not done yet
};

} // namespace r9v_emulator::hip
