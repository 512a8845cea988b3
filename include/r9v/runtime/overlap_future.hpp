// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What submit() returns: the outcome of one item of an overlap ring.
#pragma once

#include <r9v/runtime/ring_state.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace r9v::inline R9V_ABI {

/// The outcome of one item of an overlap ring. Empty when there was no slot for it.
class overlap_future {
public:
    overlap_future() = default;
    overlap_future(std::shared_ptr<runtime::ring_state> ring, std::uint64_t item) noexcept
        : ring_{std::move(ring)},
          item_{item} {}
    overlap_future(overlap_future&& other) noexcept
        : ring_{std::move(other.ring_)},
          item_{other.item_} {}
    overlap_future& operator=(overlap_future&& other) noexcept {
        std::swap(ring_, other.ring_);
        std::swap(item_, other.item_);
        return *this;
    }
    overlap_future(const overlap_future&) = delete;
    overlap_future& operator=(const overlap_future&) = delete;
    ~overlap_future() {
        if (ring_) ring_->forget(item_);
    }

    /// Whether there is an item to wait for; get() ends that.
    [[nodiscard]] bool valid() const noexcept { return ring_ != nullptr; }
    explicit operator bool() const noexcept { return valid(); }
    /// Items of a ring are numbered from 0 and end in this order.
    [[nodiscard]] std::uint64_t item() const noexcept { return item_; }
    /// Whether get() would return at once.
    [[nodiscard]] bool ready() const noexcept { return ring_ && ring_->done(item_); }

    /// Waits until consume has returned. Throws what a stage of this item threw, or its error.
    void get() {
        std::optional<runtime::stage_failure> failure;
        throw_if_failed(take(failure));
        if (failure) failure->raise();
    }
    /// get() that answers an r9v::error instead of throwing; other exceptions become one.
    [[nodiscard]] status try_get() noexcept {
        std::optional<runtime::stage_failure> failure;
        if (status taken = take(failure); !taken) return taken;
        if (failure) return failure->reason;
        return {};
    }
    /// Waits at most so long; whether the item is done.
    template<class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& time) const {
        bool done = false;
        if (ring_)
            throw_if_failed(ring_->wait(item_, runtime::ring_state::clock::now() + time, done));
        return done;
    }
    /// Leaves out what the item has yet to do; work that is queued on the device still runs, and
    /// get() reports the cancellation. False when consume has begun: the result stands.
    bool cancel() noexcept { return ring_ && ring_->cancel(item_); }

private:
    status take(std::optional<runtime::stage_failure>& failure) noexcept {
        if (!ring_)
            return error{"r9v: the future is empty. Take one from submit(), and get() it once."};
        bool done = false;
        if (status waited = ring_->wait(item_, runtime::ring_state::moment::max(), done); !waited)
            return waited;
        failure = ring_->take_failure(item_);
        ring_.reset();
        return {};
    }

    std::shared_ptr<runtime::ring_state> ring_;
    std::uint64_t item_ = 0;
};

} // namespace r9v::inline R9V_ABI
