// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a pool needs of the GPU runtime. Tests put a model of a device in its place.
#pragma once

#include <r9v/platform/device.hpp>
#include <r9v/runtime/pool.hpp>

#if R9V_GPU

namespace r9v::inline R9V_ABI {

namespace runtime {

/// Handles are void*, results are int: the pool compiles without any GPU runtime.
struct gpu_backend {
    static constexpr int success = static_cast<int>(platform::success);
    static constexpr int out_of_memory = static_cast<int>(platform::out_of_memory);

    static const char* text(int code) {
        return platform::text(static_cast<platform::result>(code));
    }

    int current_device(int* device) { return code(platform::current_device(device)); }
    int set_device(int device) { return code(platform::set_device(device)); }
    int device_of(void* stream, int* device) {
        return code(platform::device_of(stream_of(stream), device));
    }
    std::uint64_t stream_number(void* stream) { return platform::stream_number(stream_of(stream)); }
    int device_synchronize() { return code(platform::device_synchronize()); }

    int allocate(void** memory, std::size_t bytes) {
        const platform::outside_capture allowed;
        return code(platform::allocate(memory, bytes));
    }
    /// As allocate(), but the runtime refuses while this thread captures a stream: what such an
    /// allocation serves would be gone when the capture is replayed.
    int allocate_uncaptured(void** memory, std::size_t bytes) {
        return code(platform::allocate(memory, bytes));
    }
    int release(void* memory) {
        const platform::outside_capture allowed;
        return code(platform::release(memory));
    }

    int event_create(void** event) {
        platform::event_handle made{};
        const int failed = code(platform::event_create(&made, false, false));
        *event = made;
        return failed;
    }
    int event_destroy(void* event) { return code(platform::event_destroy(event_of(event))); }
    int event_record(void* event, void* stream) {
        return code(platform::event_record(event_of(event), stream_of(stream)));
    }
    int event_synchronize(void* event) {
        return code(platform::event_synchronize(event_of(event)));
    }
    int stream_wait(void* stream, void* event) {
        return code(platform::stream_wait(stream_of(stream), event_of(event)));
    }
    bool capturing(void* stream) {
        bool now = false;
        // Asking the null stream while another is captured is an error: it is not captured itself.
        if (code(platform::is_capturing(stream_of(stream), &now)) != success) return false;
        return now;
    }

private:
    static platform::stream_handle stream_of(void* stream) {
        return static_cast<platform::stream_handle>(stream);
    }
    static platform::event_handle event_of(void* event) {
        return static_cast<platform::event_handle>(event);
    }
    static int code(platform::result result) {
        if (result != platform::success) (void)platform::take_last_error();
        return static_cast<int>(result);
    }
};

} // namespace runtime

/// The pool of the GPU runtime: HIP, or CUDA under nvcc.
using memory_pool = basic_pool<runtime::gpu_backend>;

/// Resets the device: everything allocated on it is gone, and what r9v owns there does nothing
/// more.
inline status try_reset_device(int device) noexcept {
    int before = device;
    (void)platform::current_device(&before);
    if (status set = platform::check(platform::set_device(device), "the choice of a device"); !set)
        return set;
    note_device_reset(device);
    const platform::result outcome = platform::reset_device();
    if (before != device) (void)platform::set_device(before);
    return platform::check(outcome, "the reset of a device");
}
inline void reset_device(int device) {
    throw_if_failed(try_reset_device(device));
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
