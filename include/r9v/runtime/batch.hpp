// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Requests that run together, and the futures of their results.
#pragma once

#include <r9v/runtime/stage.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

namespace runtime {

/// What a future waits for.
template<class Result>
class awaited {
public:
    void set(Result&& value) {
        result_.emplace(std::move(value));
        set_ = true;
    }
    void fail(stage_failure&& failure) {
        failure_.emplace(std::move(failure));
        set_ = true;
    }
    /// Whether it has an outcome; its batch alone may ask, before publish().
    [[nodiscard]] bool is_set() const noexcept { return set_; }
    /// Lets the waiting see it.
    void publish() noexcept {
        const std::lock_guard lock(mutex_);
        ready_ = true;
        changed_.notify_all();
    }

    [[nodiscard]] bool ready() noexcept {
        const std::lock_guard lock(mutex_);
        return ready_;
    }
    void wait() noexcept {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ready_; });
    }
    bool wait_until(const std::chrono::steady_clock::time_point& deadline) noexcept {
        std::unique_lock lock(mutex_);
        return changed_.wait_until(lock, deadline, [&] { return ready_; });
    }
    std::optional<Result>& result() noexcept { return result_; }
    std::optional<stage_failure>& failure() noexcept { return failure_; }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ready_ = false;
    bool set_ = false;
    std::optional<Result> result_;
    std::optional<stage_failure> failure_;
};

/// Lets batches' results out in the order in which the batches began.
template<class Result>
class publisher {
public:
    using results = std::vector<std::shared_ptr<awaited<Result>>>;

    explicit publisher(bool in_order) : in_order_{in_order} {}

    std::uint64_t next_number() noexcept {
        const std::lock_guard lock(mutex_);
        return begun_++;
    }
    void done(std::uint64_t number, results&& outcome) {
        const std::lock_guard lock(mutex_);
        if (!in_order_) {
            publish(outcome);
            return;
        }
        early_.emplace_back(number, std::move(outcome));
        for (std::size_t i = 0; i < early_.size();) { // as few as batches run at once
            if (early_[i].first != published_) {
                ++i;
                continue;
            }
            publish(early_[i].second);
            early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i));
            ++published_;
            i = 0;
        }
    }

private:
    static void publish(const results& outcome) noexcept {
        for (const auto& each : outcome)
            each->publish();
    }

    const bool in_order_;
    std::mutex mutex_;
    std::uint64_t begun_ = 0;
    std::uint64_t published_ = 0;
    std::vector<std::pair<std::uint64_t, results>> early_;
};

} // namespace runtime

/// The result of one request to a batcher.
template<class Result>
class batch_future {
public:
    batch_future() = default;
    explicit batch_future(std::shared_ptr<runtime::awaited<Result>> awaited) noexcept
        : awaited_{std::move(awaited)} {}

    /// Whether there is a result to wait for; get() ends that.
    [[nodiscard]] bool valid() const noexcept { return awaited_ != nullptr; }
    explicit operator bool() const noexcept { return valid(); }
    [[nodiscard]] bool ready() const noexcept { return awaited_ && awaited_->ready(); }
    /// Waits at most so long; whether get() would return at once.
    template<class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& time) const noexcept {
        return awaited_ && awaited_->wait_until(std::chrono::steady_clock::now() + time);
    }

    /// Waits for the result. Throws what the batch failed with, or r9v::error.
    [[nodiscard]] Result get() {
        throw_if_failed(wait());
        const auto own = std::move(awaited_);
        if (own->failure()) own->failure()->raise();
        return std::move(*own->result());
    }
    /// The same without exceptions.
    [[nodiscard]] status try_get(std::optional<Result>& result) noexcept {
        if (status waited = wait(); !waited) return waited;
        const auto own = std::move(awaited_);
        if (own->failure()) return own->failure()->reason;
        result = std::move(own->result());
        return {};
    }

private:
    status wait() const noexcept {
        if (!awaited_)
            return error{"r9v: the future is empty. Take one from submit(), and get() it once."};
        awaited_->wait();
        return {};
    }

    std::shared_ptr<runtime::awaited<Result>> awaited_;
};

/// Requests that run together. Its function gives each a result; it may move the batch elsewhere
/// and do so later. A request without one when the batch ends gets an error.
template<class Request, class Result>
class batch {
public:
    struct item {
        Request request;
        std::shared_ptr<runtime::awaited<Result>> awaited;
    };

    batch(std::vector<item>&& items, std::shared_ptr<runtime::publisher<Result>> to)
        : items_{std::move(items)},
          to_{std::move(to)},
          number_{to_->next_number()} {}
    batch(batch&& other) noexcept
        : items_{std::move(other.items_)},
          to_{std::move(other.to_)},
          number_{other.number_} {}
    batch& operator=(batch&&) = delete;
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;
    ~batch() { finish(); }

    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    [[nodiscard]] Request& request(std::size_t i) noexcept { return items_[i].request; }
    [[nodiscard]] const Request& request(std::size_t i) const noexcept { return items_[i].request; }
    void set(std::size_t i, Result result) { items_[i].awaited->set(std::move(result)); }
    void fail(std::size_t i, const error& reason) { items_[i].awaited->fail({reason, nullptr}); }
    /// Of all that have no result yet.
    void fail_rest(const runtime::stage_failure& failure) {
        for (auto& each : items_) {
            if (!each.awaited->is_set()) each.awaited->fail(runtime::stage_failure{failure});
        }
    }

    /// Lets the results out; the destructor does it too.
    void finish() {
        if (!to_) return;
        fail_rest({error{"r9v: the batch ended without a result for this request. Call set() for "
                         "each request of a batch."},
                   nullptr});
        typename runtime::publisher<Result>::results results;
        results.reserve(items_.size());
        for (auto& each : items_)
            results.push_back(std::move(each.awaited));
        std::exchange(to_, nullptr)->done(number_, std::move(results));
    }

private:
    std::vector<item> items_;
    std::shared_ptr<runtime::publisher<Result>> to_; // empty once finished or moved from
    std::uint64_t number_;
};

} // namespace r9v::inline R9V_ABI
