// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A model of a device for host tests of what is stream-ordered: work is queued and runs late, in
// any order that streams and events allow, chosen by seed. Memory is host memory that the queued
// work writes and checks, so that memory given out too early shows as a wrong value. Handles of
// destroyed streams come back at once, their work still runs, and misuse of a handle is noted.
#pragma once

#include <r9v/runtime/stream_record.hpp>

#include <cstddef>
#include <cstdint>
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
#include <vector>

namespace r9v_test {

class model_device {
public:
    using work = std::function<void()>;

    /// `laziness`: how many steps of queued work run, at most, with each call; 0 for none.
    explicit model_device(std::uint64_t seed = 1, unsigned laziness = 2)
        : random_{seed},
          laziness_{laziness} {
        streams_[nullptr] = std::make_shared<queue>();
    }
    ~model_device() {
        for (const auto& [begin, bytes] : memory_)
            std::free(begin);
    }
    model_device(const model_device&) = delete;
    model_device& operator=(const model_device&) = delete;

    // What tests set and read.
    std::size_t capacity = std::size_t{1} << 34;
    int number = 0;          ///< the device that streams are made for
    int current = 0;         ///< the device of the calling thread
    int fail_next_event = 0; ///< this many event calls fail

    [[nodiscard]] std::vector<std::string> faults() {
        const std::lock_guard guard{mutex_};
        return faults_;
    }
    [[nodiscard]] std::size_t used() {
        const std::lock_guard guard{mutex_};
        return used_;
    }
    [[nodiscard]] std::size_t calls() {
        const std::lock_guard guard{mutex_};
        return calls_;
    }
    [[nodiscard]] std::size_t allocations() {
        const std::lock_guard guard{mutex_};
        return allocations_;
    }
    [[nodiscard]] std::size_t live_events() {
        const std::lock_guard guard{mutex_};
        return events_.size();
    }

    // Streams.
    void* stream_create() {
        const std::lock_guard guard{mutex_};
        void* handle = nullptr;
        if (handles_.empty()) {
            handle = reinterpret_cast<void*>(next_handle_ += 16);
        } else {
            handle = handles_.back();
            handles_.pop_back();
        }
        streams_[handle] = std::make_shared<queue>();
        return handle;
    }
    void stream_destroy(void* handle) {
        const std::lock_guard guard{mutex_};
        const auto found = streams_.find(handle);
        if (found == streams_.end()) return fault("a destroyed stream is destroyed");
        zombies_.push_back(found->second); // its work still runs
        streams_.erase(found);
        handles_.push_back(handle);
    }
    /// Queues work; in a capture it becomes part of the graph.
    void submit(void* handle, work task) {
        const std::lock_guard guard{mutex_};
        queue* const q = find(handle, "work is queued on a destroyed stream");
        if (q == nullptr) return;
        if (q->captured != nullptr)
            q->captured->push_back(std::move(task));
        else
            q->tasks.push_back({std::move(task), nullptr});
        run_some();
    }
    void write(void* stream, void* memory, std::size_t bytes, std::uint64_t value) {
        submit(stream, [=, this] { touch(memory, bytes, value, true); });
    }
    void expect(void* stream, void* memory, std::size_t bytes, std::uint64_t value) {
        submit(stream, [=, this] { touch(memory, bytes, value, false); });
    }

    // Capture.
    using graph = std::vector<work>;
    void begin_capture(void* handle) {
        const std::lock_guard guard{mutex_};
        streams_.at(handle)->captured = std::make_shared<graph>();
    }
    std::shared_ptr<graph> end_capture(void* handle) {
        const std::lock_guard guard{mutex_};
        return std::exchange(streams_.at(handle)->captured, nullptr);
    }
    void replay(void* handle, const graph& tasks) {
        for (const work& task : tasks)
            submit(handle, task);
    }

    // What a pool's backend calls; 0 is success.
    int allocate(void** memory, std::size_t bytes) {
        const std::lock_guard guard{mutex_};
        ++calls_;
        if (used_ + bytes > capacity) return 2;
        *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
        if (*memory == nullptr) return 2;
        memory_[*memory] = bytes;
        used_ += bytes;
        ++allocations_;
        return 0;
    }
    int release(void* memory) {
        const std::lock_guard guard{mutex_};
        ++calls_;
        const auto found = memory_.find(memory);
        if (found == memory_.end()) return fault("what is not allocated is released"), 1;
        used_ -= found->second;
        memory_.erase(found);
        std::free(memory); // a sanitizer or touch() sees what still uses it
        return 0;
    }
    int event_create(void** event) {
        const std::lock_guard guard{mutex_};
        if (refused()) return 1;
        *event = reinterpret_cast<void*>(next_event_ += 16);
        events_[*event] = nullptr;
        return 0;
    }
    int event_destroy(void* event) {
        const std::lock_guard guard{mutex_};
        ++calls_;
        if (events_.erase(event) == 0) fault("a destroyed event is destroyed");
        return 0;
    }
    int event_record(void* event, void* handle) {
        const std::lock_guard guard{mutex_};
        if (refused()) return 1;
        queue* const q = find(handle, "an event is recorded on a destroyed stream");
        if (q == nullptr || !events_.contains(event)) return 1;
        if (q->captured != nullptr) return fault("an event enters a capture"), 1;
        auto reached = std::make_shared<bool>(false);
        events_[event] = reached;
        q->tasks.push_back({[reached] { *reached = true; }, nullptr});
        run_some();
        return 0;
    }
    int stream_wait(void* handle, void* event) {
        const std::lock_guard guard{mutex_};
        if (refused()) return 1;
        queue* const q = find(handle, "a destroyed stream waits");
        if (q == nullptr || !events_.contains(event)) return 1;
        if (q->captured != nullptr) return fault("a capture waits for an event from outside"), 1;
        q->tasks.push_back({[] {}, events_[event]});
        run_some();
        return 0;
    }
    int event_synchronize(void* event) {
        const std::lock_guard guard{mutex_};
        ++calls_;
        const auto reached = events_.at(event);
        while (reached != nullptr && !*reached && step()) {
        }
        return 0;
    }
    int device_synchronize() {
        const std::lock_guard guard{mutex_};
        ++calls_;
        while (step()) {
        }
        return 0;
    }
    bool capturing(void* handle) {
        const std::lock_guard guard{mutex_};
        ++calls_;
        queue* const q = find(handle, "a destroyed stream is asked about a capture");
        return q != nullptr && q->captured != nullptr;
    }

private:
    struct item {
        work run;
        std::shared_ptr<bool> after;
    };
    struct queue {
        std::deque<item> tasks;
        std::shared_ptr<graph> captured;
    };

    void fault(const char* text) { faults_.emplace_back(text); }
    bool refused() {
        ++calls_;
        if (fail_next_event == 0) return false;
        --fail_next_event;
        return true;
    }
    queue* find(void* handle, const char* otherwise) {
        const auto found = streams_.find(handle);
        if (found != streams_.end()) return found->second.get();
        fault(otherwise);
        return nullptr;
    }

    /// One queued task of a random stream that may run; false if none is left.
    bool step() {
        std::vector<queue*> ready;
        const auto look = [&](const std::shared_ptr<queue>& q) {
            if (!q->tasks.empty() && (q->tasks[0].after == nullptr || *q->tasks[0].after))
                ready.push_back(q.get());
        };
        for (const auto& [handle, q] : streams_)
            look(q);
        for (const auto& q : zombies_)
            look(q);
        if (ready.empty()) {
            std::erase_if(zombies_, [](const auto& q) { return q->tasks.empty(); });
            return false;
        }
        queue& chosen = *ready[random_() % ready.size()];
        const work run = std::move(chosen.tasks[0].run);
        chosen.tasks.pop_front();
        run();
        return true;
    }
    void run_some() {
        for (std::uint64_t steps = laziness_ == 0 ? 0 : random_() % (laziness_ + 1); steps > 0;
             --steps)
            if (!step()) return;
    }

    /// One word in each 256 bytes.
    void touch(void* memory, std::size_t bytes, std::uint64_t value, bool write) {
        auto* const at = static_cast<char*>(memory);
        const auto owner = memory_.upper_bound(memory);
        if (owner == memory_.begin() ||
            at + bytes > static_cast<char*>(std::prev(owner)->first) + std::prev(owner)->second)
            return fault("memory is used after it left the device");
        for (std::size_t i = 0; i + sizeof value <= bytes; i += 256) {
            if (write) {
                std::memcpy(at + i, &value, sizeof value);
            } else if (std::memcmp(at + i, &value, sizeof value) != 0) {
                return fault("memory does not hold what was written");
            }
        }
    }

    std::mutex mutex_;
    std::mt19937_64 random_;
    unsigned laziness_;
    std::map<void*, std::shared_ptr<queue>> streams_;
    std::vector<std::shared_ptr<queue>> zombies_;
    std::vector<void*> handles_;
    std::map<void*, std::size_t> memory_;
    std::map<void*, std::shared_ptr<bool>> events_;
    std::vector<std::string> faults_;
    std::uintptr_t next_handle_ = 0x1000;
    std::uintptr_t next_event_ = 0x1000;
    std::size_t used_ = 0;
    std::size_t calls_ = 0;
    std::size_t allocations_ = 0;
};

/// The model as a pool's backend.
struct model_backend {
    static constexpr int success = 0;
    static constexpr int out_of_memory = 2;
    static const char* text(int code) { return code == 2 ? "out of memory" : "the model refused"; }

    model_device* device = nullptr;

    int current_device(int* number) { return *number = device->current, 0; }
    int set_device(int number) { return device->current = number, 0; }
    int device_of(void*, int* number) { return *number = device->number, 0; }
    std::uint64_t stream_number(void*) { return 0; }
    int device_synchronize() { return device->device_synchronize(); }
    int allocate(void** memory, std::size_t bytes) { return device->allocate(memory, bytes); }
    int release(void* memory) { return device->release(memory); }
    int event_create(void** event) { return device->event_create(event); }
    int event_destroy(void* event) { return device->event_destroy(event); }
    int event_record(void* event, void* stream) { return device->event_record(event, stream); }
    int event_synchronize(void* event) { return device->event_synchronize(event); }
    int stream_wait(void* stream, void* event) { return device->stream_wait(stream, event); }
    bool capturing(void* stream) { return device->capturing(stream); }
};

/// A stream of the model with an identity, as r9v::stream is one of the runtime's.
class model_stream {
public:
    explicit model_stream(model_device& device)
        : device_{&device},
          record_{std::make_shared<record>(device)} {}
    model_stream(model_stream&&) = default;
    model_stream& operator=(model_stream&&) = delete;
    ~model_stream() {
        if (record_ == nullptr) return;
        record_->close();
        device_->stream_destroy(record_->handle());
    }
    [[nodiscard]] void* handle() const { return record_->handle(); }
    operator r9v::stream_ref() const { // NOLINT(google-explicit-constructor)
        return r9v::stream_ref{record_};
    }
    void write(void* memory, std::size_t bytes, std::uint64_t value) {
        device_->write(handle(), memory, bytes, value);
    }
    void expect(void* memory, std::size_t bytes, std::uint64_t value) {
        device_->expect(handle(), memory, bytes, value);
    }

private:
    class record final : public r9v::runtime::stream_record {
    public:
        explicit record(model_device& device)
            : stream_record{device.stream_create(), device.number},
              device_{device} {}
        ~record() override {
            if (end_ != nullptr) (void)device_.event_destroy(end_);
        }

    private:
        void* mark_end() noexcept override {
            (void)device_.event_create(&end_);
            (void)device_.event_record(end_, handle());
            return end_;
        }
        model_device& device_;
        void* end_ = nullptr;
    };

    model_device* device_;
    std::shared_ptr<r9v::runtime::stream_record> record_;
};

} // namespace r9v_test
