// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An owned event: a mark in a stream that other streams and the host can wait for.
#pragma once

#include <r9v/runtime/stream.hpp>

#if R9V_GPU

#include <utility>

namespace r9v::inline R9V_ABI {

/// What an event is for. Timing costs the device something at each record.
struct event_options {
    bool timed = false;
    bool blocking = false; ///< a waiting host thread sleeps; otherwise the runtime may spin
};

/// Every function throws r9v::error when the runtime refuses. The destructor waits for nothing:
/// work that was told to wait for the event still does.
class event {
public:
    explicit event(const event_options& options = {}) {
        throw_if_failed(platform::check(
            platform::event_create(&handle_, options.timed, options.blocking), "event"));
    }
    event(event&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
    event& operator=(event&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() {
        if (handle_ != nullptr) (void)platform::event_destroy(handle_);
    }

    [[nodiscard]] platform::event_handle handle() const noexcept { return handle_; }

    /// Marks the end of what is in `s` now.
    void record(platform::stream_handle s) const {
        throw_if_failed(platform::check(platform::event_record(handle_, s), "event record"));
    }
    /// What is queued on `s` from now on waits for the mark.
    void make_wait(platform::stream_handle s) const {
        throw_if_failed(platform::check(platform::stream_wait(s, handle_), "event wait"));
    }
    /// Blocks the host until the mark is reached.
    void synchronize() const {
        throw_if_failed(platform::check(platform::event_synchronize(handle_), "synchronize"));
    }
    /// Whether the mark is reached.
    [[nodiscard]] bool ready() const {
        const auto found = platform::event_query(handle_);
        if (found == platform::not_ready) return false;
        throw_if_failed(platform::check(found, "event query"));
        return true;
    }
    /// Seconds between two reached marks of timed events.
    [[nodiscard]] double seconds_since(const event& begin) const {
        float milliseconds = 0;
        throw_if_failed(platform::check(
            platform::event_elapsed(&milliseconds, begin.handle_, handle_), "event timing"));
        return static_cast<double>(milliseconds) * 1e-3;
    }

private:
    platform::event_handle handle_ = nullptr;
};

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
