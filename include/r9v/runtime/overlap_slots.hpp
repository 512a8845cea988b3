// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Everything that an overlap ring owns on the device and in pinned memory, made once.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/runtime/overlap_device.hpp>
#include <r9v/runtime/stage.hpp>
#include <r9v/runtime/stored_call.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

/// The pinned memory of a slot, as fill and consume see it.
class host_block {
public:
    host_block(std::byte* data, std::size_t capacity, std::size_t used) noexcept
        : data_{data},
          capacity_{capacity},
          used_{used} {}

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    /// Bytes that are copied: all of the slot's, unless use() says fewer.
    [[nodiscard]] std::size_t size() const noexcept { return used_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    /// Only so many bytes are copied to the device; more than the capacity means the capacity.
    void use(std::size_t bytes) noexcept { used_ = bytes < capacity_ ? bytes : capacity_; }

    /// The bytes in use as whole elements of T.
    template<class T>
    [[nodiscard]] std::span<T> as() const noexcept {
        return {reinterpret_cast<T*>(data_), used_ / sizeof(T)};
    }

private:
    std::byte* data_;
    std::size_t capacity_;
    std::size_t used_;
};

/// What compute may use: the stream to queue on, and the slot's device memory.
template<class Stream>
struct overlap_slot {
    Stream stream{};
    void* input = nullptr;
    std::size_t input_bytes = 0; ///< that fill used
    void* output = nullptr;
    std::size_t output_bytes = 0; ///< that come back; compute may lessen it
    int index = 0;                ///< of the slot: for memory or a plan of its own
    std::uint64_t item = 0;

    template<class T>
    [[nodiscard]] T* input_as() const noexcept {
        return static_cast<T*>(input);
    }
    template<class T>
    [[nodiscard]] T* output_as() const noexcept {
        return static_cast<T*>(output);
    }
};

namespace runtime {

enum overlap_stage : int { stage_fill, stage_upload, stage_compute, stage_download, stage_consume };
inline constexpr int overlap_stages = 5;

/// The begin and end of a device stage; the ends order the streams, the begins are for timing.
enum slot_event : int {
    upload_end,
    compute_end,
    download_end,
    upload_begin,
    compute_begin,
    download_begin
};
inline constexpr int untimed_events = 3;
inline constexpr int timed_events = 6;

template<class Device>
struct slot {
    using stream_type = typename Device::stream_type;
    static constexpr std::size_t capture_bytes = 256;

    std::byte* host_input = nullptr;
    std::byte* host_output = nullptr;
    void* input = nullptr;
    void* output = nullptr;
    typename Device::event_type events[timed_events]{};
    int event_count = 0;

    // Of the item that has the slot.
    stored_call<status(overlap_slot<stream_type>&), capture_bytes> compute;
    stored_call<status(const host_block&), capture_bytes> consume;
    const void* source = nullptr; ///< pinned memory of the caller that is copied from directly
    std::byte* target = nullptr;  ///< and to
    std::size_t input_bytes = 0;
    std::size_t output_bytes = 0;
    bool on_device = false; ///< work of it may be queued
    bool timed = false;
    double fill_begin = 0; ///< seconds since the ring was made
    double fill_end = 0;
    std::optional<stage_failure> failure;
};

struct slot_sizes {
    int slot_count = 0;
    std::size_t input_bytes = 0;
    std::size_t output_bytes = 0;
    bool timed = false;
    bool blocking = false;
};

template<overlap_device Device>
class slot_set {
public:
    explicit slot_set(const Device& device) : device_{device} {}
    slot_set(const slot_set&) = delete;
    slot_set& operator=(const slot_set&) = delete;
    ~slot_set() { release(); }

    /// Makes everything, or says why not; what was made goes with the object.
    status acquire(const slot_sizes& sizes) {
        sizes_ = sizes;
        slots_ = std::vector<slot<Device>>(static_cast<std::size_t>(sizes.slot_count));
        int before = 0;
        if (const char* fault = device_.enter(before)) return failed("device choice", fault);
        status made = make_streams();
        for (auto& each : slots_) {
            if (made) made = make_slot(each);
        }
        device_.leave(before);
        return made;
    }

    Device& device() noexcept { return device_; }
    slot<Device>& operator[](std::uint64_t item) noexcept { return slots_[item % slots_.size()]; }
    [[nodiscard]] int index(std::uint64_t item) const noexcept {
        return static_cast<int>(item % slots_.size());
    }
    [[nodiscard]] const slot_sizes& sizes() const noexcept { return sizes_; }
    typename Device::stream_type& upload() noexcept { return streams_[0]; }
    typename Device::stream_type& compute() noexcept { return streams_[1]; }
    typename Device::stream_type& download() noexcept { return streams_[2]; }

    /// Waits for everything that is queued; the first fault, if any.
    const char* synchronize() noexcept {
        const char* first = nullptr;
        for (int i = 0; i < stream_count_; ++i) {
            const char* fault = device_.synchronize_stream(streams_[i]);
            if (first == nullptr) first = fault;
        }
        return first;
    }

    static error failed(const char* what, const char* fault) noexcept {
        return error{"r9v: %s failed: %s. See the GPU runtime's log.", what, fault};
    }

private:
    status make_streams() {
        for (; stream_count_ < 3; ++stream_count_) {
            if (const char* fault = device_.make_stream(streams_[stream_count_]))
                return failed("stream", fault);
        }
        return {};
    }

    status make_slot(slot<Device>& to) {
        const int count = sizes_.timed ? timed_events : untimed_events;
        for (; to.event_count < count; ++to.event_count) {
            auto& event = to.events[to.event_count];
            if (const char* fault = device_.make_event(event, sizes_.timed, sizes_.blocking))
                return failed("event", fault);
        }
        void* pinned[2]{};
        const std::size_t bytes[] = {sizes_.input_bytes, sizes_.output_bytes};
        void** const memory[] = {&to.input, &to.output};
        std::byte** const staging[] = {&to.host_input, &to.host_output};
        for (int i = 0; i < 2; ++i) {
            if (bytes[i] == 0) continue;
            if (const char* fault = device_.allocate_pinned(pinned[i], bytes[i]))
                return failed("allocation of pinned memory", fault);
            *staging[i] = static_cast<std::byte*>(pinned[i]);
            if (const char* fault = device_.allocate(*memory[i], bytes[i]))
                return failed("allocation", fault);
        }
        return {};
    }

    void release() noexcept {
        int before = 0;
        const bool entered = device_.enter(before) == nullptr;
        (void)synchronize();
        for (auto& each : slots_) {
            for (int i = 0; i < each.event_count; ++i)
                device_.destroy_event(each.events[i]);
            if (each.host_input != nullptr) device_.release_pinned(each.host_input);
            if (each.host_output != nullptr) device_.release_pinned(each.host_output);
            if (each.input != nullptr) device_.release(each.input);
            if (each.output != nullptr) device_.release(each.output);
        }
        for (int i = 0; i < stream_count_; ++i)
            device_.destroy_stream(streams_[i]);
        if (entered) device_.leave(before);
    }

    Device device_;
    slot_sizes sizes_;
    typename Device::stream_type streams_[3]{};
    int stream_count_ = 0;
    std::vector<slot<Device>> slots_;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
