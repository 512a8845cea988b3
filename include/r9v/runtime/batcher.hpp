// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The batcher: requests of many threads, run together.
#pragma once

#include <r9v/platform/gpu.hpp>
#include <r9v/runtime/batch.hpp>
#include <r9v/runtime/batch_queue.hpp>
#include <r9v/runtime/samples.hpp>
#include <r9v/runtime/stored_call.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

/// Of a batcher since it was made. Durations are in seconds of its clock.
struct batch_statistics {
    std::uint64_t submitted = 0; ///< accepted requests
    std::uint64_t refused = 0;   ///< the queue was full
    std::uint64_t late = 0;      ///< rejected at their deadline
    std::uint64_t ran = 0;
    std::uint64_t batches = 0;
    std::size_t largest = 0;
    duration_summary queued;  ///< from submit to the beginning of the batch, per request
    duration_summary running; ///< per batch

    [[nodiscard]] double mean_size() const noexcept {
        return batches == 0 ? 0 : static_cast<double>(ran) / static_cast<double>(batches);
    }
};

/// Collects requests up to a size or a delay and hands them to `run(batch<Request, Result>&)` on a
/// thread of its own, whose device is the one that was current when the batcher was made. What run
/// throws, or a status that it returns, is the failure of every request without a result. With more
/// than one worker it is called by several threads at once.
/// Any number of threads may submit. close() and the destructor run what is queued, and wait for
/// it.
template<class Request, class Result>
class batcher {
public:
    using batch_type = batch<Request, Result>;
    using future = batch_future<Result>;

    /// Throws r9v::error when the options make no sense.
    template<class Run>
    batcher(const batch_options& options, Run&& run)
        : options_{checked(options)},
          clock_{options.clock != nullptr ? *options.clock : machine_},
          queue_{options_},
          publisher_{std::make_shared<runtime::publisher<Result>>(options.keep_order)} {
        run_.emplace([held = std::forward<Run>(run)](batch_type& b) mutable -> status {
            return runtime::call_stage(held, b);
        });
#if R9V_GPU
        (void)platform::current_device(&device_);
#endif
        for (std::size_t i = 0; i < options_.workers; ++i)
            workers_.emplace_back([this] { work(); });
    }
    batcher(const batcher&) = delete;
    batcher& operator=(const batcher&) = delete;
    ~batcher() { close(); }

    /// Throws r9v::error when the queue is full or the batcher closed.
    [[nodiscard]] future submit(Request request, const request_options& options = {}) {
        future result;
        throw_if_failed(try_submit(result, std::move(request), options));
        return result;
    }
    /// The same without exceptions.
    [[nodiscard]] status try_submit(future& result, Request request,
                                    const request_options& options = {}) {
        const std::lock_guard lock(mutex_);
        return place(result, std::move(request), options);
    }
    /// Waits at most so long, on the batcher's clock, for room in the queue.
    [[nodiscard]] status submit_within(std::chrono::nanoseconds time, future& result,
                                       Request request, const request_options& options = {}) {
        std::unique_lock lock(mutex_);
        const auto deadline = clock_.now() + time;
        while (queue_.full() && !closed_ && clock_.now() < deadline)
            clock_.wait(room_, lock, deadline);
        return place(result, std::move(request), options);
    }

    /// Takes no more requests, runs what is queued without delay, and waits for it.
    void close() noexcept {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
            changed_.notify_all();
            room_.notify_all();
        }
        const std::lock_guard joining(join_mutex_);
        for (auto& each : workers_) {
            if (each.joinable()) each.join();
        }
    }

    [[nodiscard]] std::size_t queued() const noexcept {
        const std::lock_guard lock(mutex_);
        return queue_.size();
    }
    [[nodiscard]] batch_statistics statistics() const noexcept {
        const std::lock_guard lock(mutex_);
        batch_statistics result = counts_;
        result.queued = queued_.summary();
        result.running = running_.summary();
        return result;
    }

private:
    using item = typename batch_type::item;
    using moment = batch_clock::moment;

    static const batch_options& checked(const batch_options& options) {
        throw_if_failed(options.check());
        return options;
    }
    static double seconds(const moment& from, const moment& to) noexcept {
        return std::chrono::duration<double>(to - from).count();
    }

    /// With mutex_ held.
    status place(future& result, Request&& request, const request_options& options) {
        if (options.priority >= queue_.priorities())
            return error{"r9v: the batcher has no priority %zu. Set batch_options::priorities, or "
                         "use 0 to %zu.",
                         options.priority, queue_.priorities() - 1};
        if (closed_) return error{"r9v: the batcher is closed. Make another."};
        if (queue_.full()) {
            ++counts_.refused;
            return error{"r9v: %zu requests are queued, as many as may be. Wait with "
                         "submit_within(), send fewer, or raise batch_options::queue_limit.",
                         queue_.size()};
        }
        const auto timeout = options.timeout.count() != 0 ? options.timeout : options_.timeout;
        const moment now = clock_.now();
        auto awaited = std::make_shared<runtime::awaited<Result>>();
        result = future{awaited};
        queue_.push({std::move(request), std::move(awaited)}, options.priority, now,
                    timeout.count() != 0 ? now + timeout : moment::max());
        ++counts_.submitted;
        changed_.notify_one();
        return {};
    }

    void work() noexcept {
#if R9V_GPU
        (void)platform::set_device(device_);
#endif
        std::unique_lock lock(mutex_);
        for (;;) {
            const moment now = clock_.now();
            if (reject_late(now, lock)) continue;
            if (queue_.due(now) || (closed_ && !queue_.empty())) {
                run_next(now, lock);
            } else if (closed_) {
                return;
            } else {
                clock_.wait(changed_, lock, queue_.next_look());
            }
        }
    }

    bool reject_late(const moment& now, std::unique_lock<std::mutex>& lock) {
        std::vector<item> late;
        queue_.expire(now, late);
        if (late.empty()) return false;
        counts_.late += late.size();
        room_.notify_all();
        lock.unlock();
        for (auto& each : late) {
            each.awaited->fail({error{"r9v: the request was still queued at its deadline. Send "
                                      "fewer, or allow it more time."},
                                nullptr});
            each.awaited->publish();
        }
        late.clear();
        lock.lock();
        return true;
    }

    void run_next(const moment& now, std::unique_lock<std::mutex>& lock) {
        std::vector<item> items;
        queue_.take(now, closed_, [&](item&& taken, const moment& arrival) {
            queued_.add(seconds(arrival, now));
            items.push_back(std::move(taken));
        });
        counts_.ran += items.size();
        counts_.largest = std::max(counts_.largest, items.size());
        ++counts_.batches;
        batch_type together{std::move(items), publisher_}; // numbered in the order of the queue
        if (!queue_.empty()) changed_.notify_one();
        room_.notify_all();
        lock.unlock();
        if (auto failure = runtime::run_stage("the batch", [&] { return run_(together); }))
            together.fail_rest(*failure);
        const moment end = clock_.now();
        {
            const std::lock_guard counting(mutex_);
            running_.add(seconds(now, end));
        }
        together.finish();
        lock.lock();
    }

    batch_options options_;
    machine_clock machine_;
    batch_clock& clock_;
    runtime::stored_call<status(batch_type&), 256> run_;
    mutable std::mutex mutex_;
    std::condition_variable changed_; // for workers
    std::condition_variable room_;    // for submit_within()
    runtime::batch_queue<item> queue_;
    std::shared_ptr<runtime::publisher<Result>> publisher_;
    batch_statistics counts_;
    runtime::samples queued_;
    runtime::samples running_;
    bool closed_ = false;
    int device_ = 0;
    std::mutex join_mutex_;
    std::vector<std::thread> workers_;
};

} // namespace r9v::inline R9V_ABI
