// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A device for tests of the overlap ring: streams are threads that take their time, by seed; calls
// can be made to fail; everything that is made is counted.
#pragma once

#include <r9v/runtime/overlap_device.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace overlap_test {

/// A mark and how often it was recorded and reached.
struct mark {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t recorded = 0;
    std::uint64_t reached = 0;
    bool timed = false;
    std::chrono::steady_clock::time_point when;
};

/// Work runs in order on a thread of its own, after a pause of up to `pause` microseconds.
class queue {
public:
    queue(unsigned seed, int pause)
        : bits_{seed},
          pause_{pause},
          thread_{[this] {
              serve();
          }} {}
    ~queue() {
        push({});
        thread_.join();
    }
    queue(const queue&) = delete;
    queue& operator=(const queue&) = delete;

    void push(std::function<void()> work) {
        const std::lock_guard lock(mutex_);
        work_.push_back(std::move(work));
        ++pushed_;
        changed_.notify_all();
    }
    void synchronize() {
        std::unique_lock lock(mutex_);
        const auto last = pushed_;
        changed_.wait(lock, [&] { return done_ >= last; });
    }

private:
    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return !work_.empty(); });
            const auto work = std::move(work_.front());
            work_.pop_front();
            const int pause = pause_ == 0 ? 0 : static_cast<int>(bits_() % unsigned(pause_ + 1));
            lock.unlock();
            if (pause != 0) std::this_thread::sleep_for(std::chrono::microseconds{pause});
            if (work) work();
            lock.lock();
            ++done_;
            changed_.notify_all();
            if (!work) return;
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> work_;
    std::uint64_t pushed_ = 0;
    std::uint64_t done_ = 0;
    std::minstd_rand bits_;
    int pause_;
    std::thread thread_;
};

/// What lies behind a test_device and its copies.
struct world {
    explicit world(unsigned the_seed = 1, int the_pause = 0) : seed{the_seed}, pause{the_pause} {}

    unsigned seed;
    int pause; ///< microseconds at most before each piece of work
    std::mutex mutex;
    std::map<std::string, int> calls;   ///< so far
    std::map<std::string, int> failing; ///< the call's number that fails; negative: all from there
    std::set<const void*> pinned;
    int streams = 0, events = 0, blocks = 0; ///< live
    int made = 0;                            ///< streams, events and blocks ever made

    const char* call(const char* name) {
        const std::lock_guard lock(mutex);
        const int number = ++calls[name];
        const auto found = failing.find(name);
        if (found == failing.end()) return nullptr;
        const bool fails = found->second > 0 ? number == found->second : number >= -found->second;
        return fails ? "the test wants it so" : nullptr;
    }
    bool clean() {
        const std::lock_guard lock(mutex);
        return streams == 0 && events == 0 && blocks == 0;
    }
    int count(const char* name) {
        const std::lock_guard lock(mutex);
        return calls[name];
    }
    void add(int& kind, int change) {
        const std::lock_guard lock(mutex);
        kind += change;
        if (change > 0) made += change;
    }
};

class test_device {
public:
    using stream_type = queue*;
    using event_type = mark*;

    explicit test_device(std::shared_ptr<world> behind) : world_{std::move(behind)} {}

    const char* enter(int& before) {
        before = 0;
        return world_->call("enter");
    }
    void leave(int) {}
    const char* make_stream(stream_type& s) {
        if (const char* fault = world_->call("make_stream")) return fault;
        world_->add(world_->streams, 1);
        s = new queue{world_->seed * 7 + unsigned(world_->streams), world_->pause};
        return nullptr;
    }
    void destroy_stream(stream_type s) {
        delete s;
        world_->add(world_->streams, -1);
    }
    const char* synchronize_stream(stream_type s) {
        s->synchronize();
        return world_->call("synchronize_stream");
    }
    const char* make_event(event_type& e, bool timed, bool) {
        if (const char* fault = world_->call("make_event")) return fault;
        world_->add(world_->events, 1);
        e = new mark;
        e->timed = timed;
        return nullptr;
    }
    void destroy_event(event_type e) {
        delete e;
        world_->add(world_->events, -1);
    }
    const char* record(event_type e, stream_type s) {
        if (const char* fault = world_->call("record")) return fault;
        {
            const std::lock_guard lock(e->mutex);
            ++e->recorded;
        }
        s->push([e, number = e->recorded] {
            const std::lock_guard lock(e->mutex);
            e->reached = number;
            e->when = std::chrono::steady_clock::now();
            e->changed.notify_all();
        });
        return nullptr;
    }
    const char* wait(stream_type s, event_type e) {
        if (const char* fault = world_->call("wait")) return fault;
        const std::lock_guard lock(e->mutex);
        s->push([e, number = e->recorded] { reach(*e, number); });
        return nullptr;
    }
    const char* synchronize_event(event_type e) {
        std::uint64_t number = 0;
        {
            const std::lock_guard lock(e->mutex);
            number = e->recorded;
        }
        reach(*e, number);
        return world_->call("synchronize_event");
    }
    const char* elapsed(float& milliseconds, event_type from, event_type to) {
        const std::scoped_lock lock(from->mutex, to->mutex);
        if (!from->timed || !to->timed || to->reached == 0 || to->reached != to->recorded)
            return "not ready";
        milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
        return nullptr;
    }
    const char* allocate(void*& pointer, std::size_t bytes) {
        if (const char* fault = world_->call("allocate")) return fault;
        world_->add(world_->blocks, 1);
        pointer = std::malloc(bytes);
        std::memset(pointer, 0xa5, bytes);
        return nullptr;
    }
    void release(void* pointer) {
        std::free(pointer);
        world_->add(world_->blocks, -1);
    }
    const char* allocate_pinned(void*& pointer, std::size_t bytes) {
        if (const char* fault = world_->call("allocate_pinned")) return fault;
        world_->add(world_->blocks, 1);
        pointer = std::malloc(bytes);
        std::memset(pointer, 0x5a, bytes);
        return nullptr;
    }
    void release_pinned(void* pointer) { release(pointer); }
    bool is_pinned(const void* pointer) {
        const std::lock_guard lock(world_->mutex);
        return world_->pinned.contains(pointer);
    }
    const char* copy_to_device(void* to, const void* from, std::size_t bytes, stream_type s) {
        return copy(to, from, bytes, s, "copy_to_device");
    }
    const char* copy_to_host(void* to, const void* from, std::size_t bytes, stream_type s) {
        return copy(to, from, bytes, s, "copy_to_host");
    }

private:
    static void reach(mark& e, std::uint64_t number) {
        std::unique_lock lock(e.mutex);
        e.changed.wait(lock, [&] { return e.reached >= number; });
    }
    const char* copy(void* to, const void* from, std::size_t bytes, stream_type s,
                     const char* name) {
        if (const char* fault = world_->call(name)) return fault;
        s->push([=] { std::memcpy(to, from, bytes); });
        return nullptr;
    }

    std::shared_ptr<world> world_;
};

static_assert(r9v::runtime::overlap_device<test_device>);

} // namespace overlap_test
