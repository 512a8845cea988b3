// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which stream is meant. A handle alone does not say: when a stream is destroyed, its handle may
// come back as another stream. A record outlives its stream and remembers the last work on it.
#pragma once

#include <r9v/core/config.hpp>
#include <r9v/platform/gpu.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace r9v::inline R9V_ABI {

namespace runtime {

/// What is known of a stream that r9v made, during its life and after.
class stream_record {
public:
    stream_record(void* handle, int device) noexcept
        : handle_{handle},
          device_{device},
          number_{next_number()} {}
    stream_record(const stream_record&) = delete;
    stream_record& operator=(const stream_record&) = delete;
    virtual ~stream_record() = default;

    [[nodiscard]] void* handle() const noexcept { return handle_; }
    [[nodiscard]] int device() const noexcept { return device_; }
    /// Never given to another stream of this process.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    /// Runs `work(handle)` if the stream lives and keeps it alive meanwhile; false if it does not.
    template<class Work>
    bool while_alive(Work work) {
        const std::lock_guard guard{mutex_};
        if (!alive_) return false;
        work(handle_);
        return true;
    }
    /// The stream's owner calls this before it destroys the handle.
    void close() noexcept {
        const std::lock_guard guard{mutex_};
        if (alive_ && remembered_.load(std::memory_order_relaxed)) final_event_ = mark_end();
        alive_ = false;
    }
    /// Someone holds memory in this stream's order: its end must be marked by an event.
    void remember() noexcept { remembered_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool alive() {
        const std::lock_guard guard{mutex_};
        return alive_;
    }
    /// The event behind the last work, once the stream is gone; null if none could be made.
    [[nodiscard]] void* final_event() {
        const std::lock_guard guard{mutex_};
        return final_event_;
    }

protected:
    /// Makes an event and records it, in the runtime's own terms; the record owns it.
    virtual void* mark_end() noexcept = 0;

private:
    static std::uint64_t next_number() noexcept {
        static constinit std::atomic<std::uint64_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    std::mutex mutex_;
    void* const handle_;
    const int device_;
    const std::uint64_t number_;
    std::atomic<bool> remembered_{false};
    bool alive_ = true;
    void* final_event_ = nullptr;
};

} // namespace runtime

/// A stream as memory resources take it: an r9v::stream converts to it with its identity, a handle
/// of the runtime (`hipStream_t`) without. Holds nothing: use it within the call.
class stream_ref {
public:
    /// The null stream.
    constexpr stream_ref() = default;
    explicit stream_ref(const std::shared_ptr<runtime::stream_record>& record) noexcept
        : handle_{record->handle()},
          record_{&record} {}
    /// A raw handle, of the type that the runtime has.
    [[nodiscard]] static stream_ref of_handle(void* handle) noexcept {
        stream_ref raw;
        raw.handle_ = handle;
        return raw;
    }
#if R9V_GPU
    stream_ref(platform::stream_handle raw) noexcept // NOLINT(google-explicit-constructor)
        : handle_{raw} {}
#endif

    [[nodiscard]] void* handle() const noexcept { return handle_; }
    /// Null for raw handles and the null stream.
    [[nodiscard]] const std::shared_ptr<runtime::stream_record>* record() const noexcept {
        return record_;
    }

private:
    void* handle_ = nullptr;
    const std::shared_ptr<runtime::stream_record>* record_ = nullptr;
};

} // namespace r9v::inline R9V_ABI
