// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/stream.hpp"

#include "hip/deferral.hpp"
#include <algorithm>
#include <chrono>
#include <utility>

namespace r9v_emulator::hip {
namespace {

/// Wakes everyone who waits for some stream to reach some point.
class progress {
public:
    static progress& instance() {
        static auto& the_progress = *new progress;
        return the_progress;
    }

    void announce() {
        if (waiters_.load() == 0) return;
        const std::lock_guard lock(mutex_);
        reached_.notify_all();
    }

    /// Until something has been done, or a moment has passed.
    void wait_a_moment() {
        std::unique_lock lock(mutex_);
        ++waiters_;
        reached_.wait_for(lock, std::chrono::milliseconds(1));
        --waiters_;
    }

    template<class Condition>
    void wait_until(Condition condition) {
        std::unique_lock lock(mutex_);
        ++waiters_;
        reached_.wait(lock, condition);
        --waiters_;
    }

private:
    std::mutex mutex_;
    std::condition_variable reached_;
    std::atomic<int> waiters_ = 0;
};

bool all_done(std::span<const ticket> points) {
    return std::ranges::all_of(points, [](const ticket& point) { return point.done(); });
}

} // namespace

bool ticket::done() const {
    return !owner || owner->reached(sequence);
}

void ticket::wait() const {
    while (!done()) {
        if (!deferral::wanted()) {
            progress::instance().wait_until([&] { return done(); });
        } else if (!deferral::instance().step()) {
            progress::instance().wait_a_moment(); // another thread is at it
        }
    }
    clock::timeline::instance().host_reached(modelled());
}

double ticket::modelled() const {
    return owner ? owner->modelled.end_of(sequence) : 0;
}

hipStream_t stream::handle() const {
    return legacy_ ? nullptr : reinterpret_cast<hipStream_t>(const_cast<stream*>(this));
}

ticket stream::submit(operation work, std::span<const ticket> after) {
    std::unique_lock lock(mutex_);
    const auto sequence = submitted_.load() + 1;
    submitted_.store(sequence);
    double not_before = std::max(not_before_, clock::timeline::instance().host_time());
    not_before_ = 0;
    for (const ticket& point : after)
        if (point.done()) not_before = std::max(not_before, point.modelled());
    std::erase_if(pending_waits_, [&](const ticket& point) {
        if (!point.done()) return false;
        not_before = std::max(not_before, point.modelled());
        return true;
    });
    const bool deferred = deferral::wanted();
    const bool ready =
        !deferred && queue_.empty() && !busy_ && pending_waits_.empty() && all_done(after);
    if (ready && !may_block(work)) {
        modelled.require(not_before);
        run_here(work, sequence, lock);
    } else {
        auto points = std::exchange(pending_waits_, {});
        points.insert(points.end(), after.begin(), after.end());
        queue_.push_back({std::move(work), std::move(points), sequence, not_before});
        if (deferred) {
            deferral::instance().expect_progress();
        } else {
            start_worker();
        }
    }
    return {shared_from_this(), sequence};
}

bool stream::would_run_now(std::span<const ticket> after) {
    if (deferral::wanted()) return false;
    const std::lock_guard lock(mutex_);
    return queue_.empty() && !busy_ && all_done(pending_waits_) && all_done(after);
}

void stream::run_here(const operation& work, std::uint64_t sequence,
                      std::unique_lock<std::mutex>& lock) {
    busy_ = true;
    lock.unlock();
    {
        const clock::timeline::scope place(modelled);
        perform(work);
    }
    modelled.completed(sequence);
    lock.lock();
    busy_ = false;
    completed_.store(sequence);
    progress::instance().announce();
    if (!queue_.empty()) changed_.notify_one();
}

bool stream::start_next() {
    std::unique_lock lock(mutex_);
    if (busy_ || queue_.empty() || !all_done(queue_.front().after)) return false;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    modelled.require(next.not_before);
    for (const ticket& point : next.after)
        modelled.require(point.modelled());
    if (!may_block(next.work)) {
        run_here(next.work, next.sequence, lock);
        return true;
    }
    busy_ = true;
    std::thread([self = shared_from_this(), next = std::move(next)] {
        std::unique_lock own(self->mutex_);
        self->run_here(next.work, next.sequence, own);
    }).detach();
    return true;
}

void stream::wait_for(const ticket& point) {
    if (point.owner.get() == this) return;
    const std::lock_guard lock(mutex_);
    if (point.done()) {
        not_before_ = std::max(not_before_, point.modelled());
        return;
    }
    pending_waits_.push_back(point);
}

void stream::start_worker() {
    if (worker_running_) {
        changed_.notify_one();
        return;
    }
    worker_running_ = true;
    std::thread([self = shared_from_this()] { self->serve(); }).detach();
}

/// The stream's own thread: works until the queue is empty, and is started again when needed.
void stream::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return !busy_; });
        if (queue_.empty()) break;
        const auto next = std::move(queue_.front());
        queue_.pop_front();
        busy_ = true;
        lock.unlock();
        modelled.require(next.not_before);
        for (const auto& point : next.after) {
            progress::instance().wait_until([&] { return point.done(); });
            modelled.require(point.modelled());
        }
        lock.lock();
        run_here(next.work, next.sequence, lock);
    }
    worker_running_ = false;
}

stream_table& stream_table::instance() {
    static auto& table = *new stream_table;
    return table;
}

stream_table::stream_table() {
    for (unsigned device = 0; device < most_devices; ++device)
        null_[device] = std::make_shared<stream>(hipStreamDefault, 0, true, device);
}

hipStream_t stream_table::create(unsigned flags, int priority) {
    auto made = std::make_shared<stream>(flags, priority, false, selected_device());
    const auto handle = made->handle();
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(made));
    return handle;
}

std::shared_ptr<stream> stream_table::of_this_thread() {
    struct owner {
        hipStream_t handle = instance().create(hipStreamDefault, 0);
        std::shared_ptr<stream> body = instance().find(handle);
        ~owner() { instance().destroy(handle); }
    };
    thread_local std::array<std::unique_ptr<owner>, most_devices> mine;
    auto& of_device = mine[selected_device()];
    if (!of_device) of_device = std::make_unique<owner>();
    return of_device->body;
}

std::shared_ptr<stream> stream_table::find(hipStream_t handle) {
    if (!handle) return null_[selected_device()];
    if (handle == hipStreamPerThread) return of_this_thread();
    const std::lock_guard lock(mutex_);
    for (const auto& candidate : streams_) {
        if (candidate->handle() == handle) return candidate;
    }
    return nullptr;
}

bool stream_table::destroy(hipStream_t handle) {
    const std::lock_guard lock(mutex_);
    std::erase_if(ended_, [](const auto& s) { return s->idle(); });
    return std::erase_if(streams_, [&](const auto& s) {
               if (s->handle() != handle) return false;
               if (!s->idle()) ended_.push_back(s);
               return true;
           }) != 0;
}

std::vector<std::shared_ptr<stream>> stream_table::all() {
    const std::lock_guard lock(mutex_);
    auto result = streams_;
    result.insert(result.end(), null_.begin(), null_.end());
    return result;
}

std::vector<std::shared_ptr<stream>> stream_table::unfinished() {
    auto result = all();
    {
        const std::lock_guard lock(mutex_);
        result.insert(result.end(), ended_.begin(), ended_.end());
    }
    std::erase_if(result, [](const auto& s) { return s->idle(); });
    return result;
}

std::vector<ticket> stream_table::implied_order(stream& which) {
    std::vector<ticket> points;
    const auto& null = null_[which.device()];
    if (which.blocking() && !null->idle()) points.push_back(null->last());
    if (!which.legacy()) return points;
    const std::lock_guard lock(mutex_);
    for (const auto& other : streams_) {
        if (other->device() == which.device() && other->blocking() && !other->idle())
            points.push_back(other->last());
    }
    return points;
}

void stream_table::synchronize(std::span<const std::shared_ptr<stream>> which) {
    for (const auto& each : which)
        each->synchronize();
}

void stream_table::synchronize_all() {
    synchronize(all());
    // The device is not done before the work of destroyed streams is.
    std::vector<std::shared_ptr<stream>> ended;
    {
        const std::lock_guard lock(mutex_);
        ended = ended_;
    }
    synchronize(ended);
}

void stream_table::synchronize_device(unsigned device) {
    auto streams = all();
    {
        const std::lock_guard lock(mutex_);
        streams.insert(streams.end(), ended_.begin(), ended_.end());
    }
    std::erase_if(streams, [&](const auto& s) { return s->device() != device; });
    synchronize(streams);
}

} // namespace r9v_emulator::hip
