// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What an overlap ring measures: how long each stage takes, how much of it ran side by side.
#pragma once

#include <r9v/runtime/overlap_slots.hpp>
#include <r9v/runtime/ring_state.hpp>
#include <r9v/runtime/samples.hpp>
#include <r9v/runtime/trace.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace r9v::inline R9V_ABI {

/// Of an overlap ring since it was made or since reset_statistics(). Durations are in seconds.
struct overlap_statistics {
    std::uint64_t submitted = 0;
    std::uint64_t completed = 0; ///< failed and cancelled ones included
    std::uint64_t failed = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t stalls = 0; ///< submissions that had to wait for a slot
    double stalled_seconds = 0;
    std::uint64_t staged_copies = 0; ///< host_source or host_target in pageable memory
    std::uint64_t direct_copies = 0; ///< in pinned memory
    double busy_seconds = 0;         ///< while at least one item was in the ring
    duration_summary fill, upload, compute, download, consume; ///< of the items that were measured

    /// What of the shorter of copies and compute was hidden behind the longer:
    /// (serial - wall) / min(copies, compute), all per item. 1 is perfect for copies of one
    /// direction; copies of both directions that run beside each other can make it more.
    [[nodiscard]] double overlap_ratio() const noexcept {
        const double copies = upload.mean() + download.mean();
        const double shorter = std::min(copies, compute.mean());
        if (completed == 0 || shorter <= 0) return 0;
        return (copies + compute.mean() - busy_seconds / static_cast<double>(completed)) / shorter;
    }
};

namespace runtime {

/// Places the device's marks on the ring's clock.
template<overlap_device Device>
class device_timeline {
public:
    explicit device_timeline(Device& device) : device_{device} {}
    device_timeline(const device_timeline&) = delete;
    device_timeline& operator=(const device_timeline&) = delete;
    ~device_timeline() {
        for (int i = 0; i < count_; ++i)
            device_.destroy_event(bases_[i]);
    }

    const char* start(typename Device::stream_type& stream, double (*now)(const void*),
                      const void* context) {
        for (; count_ < 2; ++count_) {
            if (const char* fault = device_.make_event(bases_[count_], true, false)) return fault;
        }
        if (const char* fault = device_.record(bases_[0], stream)) return fault;
        if (const char* fault = device_.synchronize_event(bases_[0])) return fault;
        offset_ = now(context);
        return nullptr;
    }

    /// Seconds on the ring's clock; negative when the device cannot say.
    double place(typename Device::event_type& mark, typename Device::stream_type& stream) {
        float milliseconds = 0;
        // The runtime answers in float: a base that is long ago would blur the marks.
        if (renewing_ && device_.elapsed(milliseconds, bases_[0], bases_[1]) == nullptr) {
            offset_ += static_cast<double>(milliseconds) * 1e-3;
            std::swap(bases_[0], bases_[1]);
            renewing_ = false;
        }
        if (device_.elapsed(milliseconds, bases_[0], mark) != nullptr) return -1;
        if (!renewing_ && milliseconds > 1000)
            renewing_ = device_.record(bases_[1], stream) == nullptr;
        return offset_ + static_cast<double>(milliseconds) * 1e-3;
    }

private:
    Device& device_;
    typename Device::event_type bases_[2]{};
    int count_ = 0;
    double offset_ = 0;
    bool renewing_ = false;
};

/// Thread-safe; nothing here allocates after construction, except the texts that are asked for.
class overlap_meter {
public:
    using clock = std::chrono::steady_clock;

    overlap_meter(int every, std::size_t trace_items)
        : every_{every},
          trace_{trace_items * overlap_stages} {}

    [[nodiscard]] double now() const noexcept {
        return std::chrono::duration<double>(clock::now() - origin_).count();
    }
    [[nodiscard]] bool measures(std::uint64_t item) const noexcept {
        return every_ > 0 && item % static_cast<std::uint64_t>(every_) == 0;
    }
    [[nodiscard]] bool traces() const noexcept { return trace_.enabled(); }

    void item_began() noexcept {
        const double when = now();
        const std::lock_guard lock(mutex_);
        if (active_++ == 0) busy_since_ = when;
    }
    void item_ended() noexcept {
        const double when = now();
        const std::lock_guard lock(mutex_);
        ++completed_;
        if (--active_ == 0) busy_ += when - busy_since_;
    }
    void copied(bool staged) noexcept {
        const std::lock_guard lock(mutex_);
        ++(staged ? staged_ : direct_);
    }
    /// `begin` is on the ring's clock; negative keeps the stage out of the trace.
    void stage(overlap_stage which, std::uint64_t item, double begin, double seconds) noexcept {
        const std::lock_guard lock(mutex_);
        samples_[static_cast<std::size_t>(which)].add(seconds);
        if (begin >= 0) trace_.add({which, item, begin * 1e6, seconds * 1e6});
    }

    [[nodiscard]] overlap_statistics read(const ring_state::counts& counts) const noexcept {
        const double when = now();
        const std::lock_guard lock(mutex_);
        overlap_statistics result;
        result.submitted = counts.begun - before_.begun;
        result.completed = completed_;
        result.failed = counts.failed - before_.failed;
        result.cancelled = counts.cancelled - before_.cancelled;
        result.stalls = counts.stalls - before_.stalls;
        result.stalled_seconds = counts.stalled_seconds - before_.stalled_seconds;
        result.staged_copies = staged_;
        result.direct_copies = direct_;
        result.busy_seconds = busy_ + (active_ != 0 ? when - busy_since_ : 0);
        duration_summary* const into[] = {&result.fill, &result.upload, &result.compute,
                                          &result.download, &result.consume};
        for (int i = 0; i < overlap_stages; ++i)
            *into[i] = samples_[static_cast<std::size_t>(i)].summary();
        return result;
    }
    void reset(const ring_state::counts& counts) noexcept {
        const double when = now();
        const std::lock_guard lock(mutex_);
        for (auto& each : samples_)
            each.reset();
        before_ = counts;
        completed_ = staged_ = direct_ = 0;
        busy_ = 0;
        busy_since_ = when;
    }
    [[nodiscard]] std::string trace_json() const {
        static constexpr const char* names[] = {"fill", "upload", "compute", "download", "consume"};
        const std::lock_guard lock(mutex_);
        return trace_.json(names, overlap_stages);
    }

private:
    const clock::time_point origin_ = clock::now();
    const int every_;
    mutable std::mutex mutex_;
    std::array<samples, overlap_stages> samples_{};
    trace_log trace_;
    ring_state::counts before_{};
    std::uint64_t completed_ = 0;
    std::uint64_t staged_ = 0;
    std::uint64_t direct_ = 0;
    int active_ = 0;
    double busy_since_ = 0;
    double busy_ = 0;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
