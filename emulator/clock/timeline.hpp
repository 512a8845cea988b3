// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// When work happens on the modelled card: kernels one after another, copies on an engine for each
// direction beside them, all in the order that streams, events and the waiting host ask for.
// Times are microseconds from the first use on. Host code takes no time.
#pragma once

#include "parameters.hpp"
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace r9v_emulator::clock {

/// A stream's place in modelled time.
class track {
public:
    /// Work that starts from now on starts after `time`.
    void require(double time);
    double ready() const;
    /// Notes that the stream's operation `sequence` is done; operations come in order.
    void completed(u64 sequence);
    /// When the operation `sequence` was done, or the stream's present for one that is too old.
    double end_of(u64 sequence) const;
    unsigned number() const { return number_; }

private:
    friend class timeline;
    static unsigned next_number();
    const unsigned number_ = next_number();
    mutable std::mutex mutex_;
    double ready_ = 0;
    u64 first_ = 1; ///< sequence of ends_.front()
    std::deque<double> ends_;
};

enum class copy_way : u8 { to_device, to_host, on_device, fill };

struct span {
    std::string name;
    unsigned track = 0;
    double start = 0, duration = 0;
    bool kernel = true;
    std::string detail;
};

class timeline {
public:
    static timeline& instance();
    /// Nothing below does anything, and costs nothing, while the clock is off.
    static bool active() { return active_.load(std::memory_order_relaxed); }
    static void turn(bool on) { active_.store(on); }

    /// The track that the calling thread works for; see scope.
    static track& current();
    class scope {
    public:
        explicit scope(track& t);
        ~scope();
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;

    private:
        track* before_;
    };

    void kernel(const card& c, const std::string& name, double microseconds,
                const std::string& detail);
    void copy(const card& c, copy_way way, u64 bytes);
    /// The host has waited for something that was done at `time`; it submits nothing before.
    void host_reached(double time);
    double host_time() const;
    std::vector<span> spans() const;
    void reset_spans();

private:
    double begin(track& t, double& engine, double gap, double duration, span what);

    static inline std::atomic<bool> active_ = false;
    mutable std::mutex mutex_;
    double compute_ = 0, to_device_ = 0, to_host_ = 0;
    double next_launch_ = 0; ///< the command processor
    double host_ = 0;
    std::vector<span> spans_;
};

} // namespace r9v_emulator::clock
