// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How a batcher collects, and the time that it goes by.
#pragma once

#include <r9v/core/error.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

/// The time of a batcher. Tests pass a manual_clock and wait for nothing.
class batch_clock {
public:
    using moment = std::chrono::steady_clock::time_point;

    batch_clock() = default;
    batch_clock(const batch_clock&) = delete;
    batch_clock& operator=(const batch_clock&) = delete;
    virtual ~batch_clock() = default;

    [[nodiscard]] virtual moment now() noexcept = 0;
    /// Returns when this clock has reached `deadline` or `changed` was notified, or sooner.
    virtual void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                      const moment& deadline) = 0;
};

/// The steady clock of the machine.
class machine_clock final : public batch_clock {
public:
    moment now() noexcept override { return std::chrono::steady_clock::now(); }
    void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
              const moment& deadline) override {
        if (deadline == moment::max()) {
            changed.wait(lock);
        } else {
            changed.wait_until(lock, deadline);
        }
    }
};

/// A clock that stands still until it is told to advance.
class manual_clock final : public batch_clock {
public:
    moment now() noexcept override {
        const std::lock_guard lock(mutex_);
        return now_;
    }
    void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
              const moment& deadline) override {
        {
            const std::lock_guard own(mutex_);
            // Whoever advances the clock later finds this thread in the list.
            if (now_ >= deadline) return;
            waiting_.push_back({lock.mutex(), &changed});
        }
        changed.wait(lock);
        const std::lock_guard own(mutex_);
        waiting_.erase(std::find(waiting_.begin(), waiting_.end(), waiter{lock.mutex(), &changed}));
    }
    /// Moves on and wakes who waits. Every batcher that uses the clock must live meanwhile.
    void advance(std::chrono::nanoseconds by) {
        std::vector<waiter> all;
        {
            const std::lock_guard lock(mutex_);
            now_ += by;
            all = waiting_;
        }
        for (const auto& [mutex, changed] : all) {
            // The waiter may hold the lock on its way to sleep: a notification before that is lost.
            const std::lock_guard lock(*mutex);
            changed->notify_all();
        }
    }

private:
    using waiter = std::pair<std::mutex*, std::condition_variable*>;

    std::mutex mutex_;
    moment now_{std::chrono::hours{1}};
    std::vector<waiter> waiting_;
};

/// What becomes of a request whose deadline passes while it is queued.
enum class late_request {
    reject,   ///< its future gets an error
    run_last, ///< it goes behind every other
};

struct batch_options {
    /// Requests in a batch at most.
    std::size_t most = 32;
    /// A batch begins as soon as one of these sizes is queued, with the largest that is; ascending.
    /// Empty: `most`.
    std::vector<std::size_t> preferred{};
    /// The oldest request waits at most so long for others; then it runs with those that are there.
    std::chrono::nanoseconds delay = std::chrono::milliseconds{1};
    /// Queued requests at most; the next is refused, or waits in submit_within().
    std::size_t queue_limit = 1024;
    /// Levels 0 (first) to priorities - 1; within a level the order is kept.
    std::size_t priorities = 1;
    /// Requests without a deadline of their own must begin to run in this time; 0: whenever.
    std::chrono::nanoseconds timeout{};
    late_request late = late_request::reject;
    /// Results appear in the order in which their batches began, whichever ends first.
    bool keep_order = true;
    /// Batches that run at once.
    std::size_t workers = 1;
    /// Must outlive the batcher; null is the machine's.
    batch_clock* clock = nullptr;

    /// Whether they make sense, or what does not.
    [[nodiscard]] status check() const noexcept {
        if (most == 0 || workers == 0 || priorities == 0 || queue_limit == 0)
            return error{"r9v: most, queue_limit, priorities and workers of a batcher are at least "
                         "1. Set them in batch_options."};
        if (delay.count() < 0 || timeout.count() < 0)
            return error{"r9v: delay and timeout of a batcher are not negative. Set them in "
                         "batch_options."};
        for (std::size_t i = 0; i < preferred.size(); ++i) {
            if (preferred[i] == 0 || preferred[i] > most ||
                (i > 0 && preferred[i] <= preferred[i - 1]))
                return error{"r9v: preferred sizes of a batcher ascend from 1 to most (%zu), and "
                             "number %zu is %zu. Sort batch_options::preferred.",
                             most, i, preferred[i]};
        }
        return {};
    }
};

/// Of one request.
struct request_options {
    std::size_t priority = 0;
    /// It must begin to run in this time; 0: as batch_options say.
    std::chrono::nanoseconds timeout{};
};

} // namespace r9v::inline R9V_ABI
