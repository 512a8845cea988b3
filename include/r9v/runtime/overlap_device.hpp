// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What an overlap ring asks of a device. The ring is a template over it, so that its promises can
// be tested on one that is slow, reordered or broken.
#pragma once

#include <r9v/core/config.hpp>
#include <r9v/platform/gpu.hpp>

#include <concepts>
#include <cstddef>

namespace r9v::inline R9V_ABI::runtime {

/// Functions answer nullptr, or the runtime's text of what went wrong, and never throw. All may be
/// called by any thread, between enter() and leave().
template<class Device>
concept overlap_device =
    std::copy_constructible<Device> &&
    requires(Device& device, typename Device::stream_type& stream,
             typename Device::event_type& event, void*& pointer, const void* from,
             std::size_t bytes, bool flag, float& milliseconds, int& before) {
        { device.enter(before) } -> std::same_as<const char*>; // makes the ring's device current
        { device.leave(before) };
        { device.make_stream(stream) } -> std::same_as<const char*>; // does not wait for others
        { device.destroy_stream(stream) };
        { device.synchronize_stream(stream) } -> std::same_as<const char*>;
        { device.make_event(event, flag, flag) } -> std::same_as<const char*>; // timed, blocking
        { device.destroy_event(event) };
        { device.record(event, stream) } -> std::same_as<const char*>;
        { device.wait(stream, event) } -> std::same_as<const char*>;
        { device.synchronize_event(event) } -> std::same_as<const char*>;
        { device.elapsed(milliseconds, event, event) } -> std::same_as<const char*>;
        { device.allocate(pointer, bytes) } -> std::same_as<const char*>;
        { device.release(pointer) };
        { device.allocate_pinned(pointer, bytes) } -> std::same_as<const char*>;
        { device.release_pinned(pointer) };
        { device.is_pinned(from) } -> std::same_as<bool>;
        { device.copy_to_device(pointer, from, bytes, stream) } -> std::same_as<const char*>;
        { device.copy_to_host(pointer, from, bytes, stream) } -> std::same_as<const char*>;
    };

#if R9V_GPU

/// The device that was current when it was made.
class gpu_device {
public:
    using stream_type = platform::stream_handle;
    using event_type = platform::event_handle;

    gpu_device() noexcept { (void)platform::current_device(&number_); }

    const char* enter(int& before) noexcept {
        if (const char* fault = text(platform::current_device(&before))) return fault;
        return before == number_ ? nullptr : text(platform::set_device(number_));
    }
    void leave(int before) noexcept {
        if (before != number_) (void)platform::set_device(before);
    }
    const char* make_stream(stream_type& s) noexcept { return text(platform::stream_create(&s)); }
    void destroy_stream(stream_type s) noexcept { (void)platform::stream_destroy(s); }
    const char* synchronize_stream(stream_type s) noexcept {
        return text(platform::stream_synchronize(s));
    }
    const char* make_event(event_type& e, bool timed, bool blocking) noexcept {
        return text(platform::event_create(&e, timed, blocking));
    }
    void destroy_event(event_type e) noexcept { (void)platform::event_destroy(e); }
    const char* record(event_type e, stream_type s) noexcept {
        return text(platform::event_record(e, s));
    }
    const char* wait(stream_type s, event_type e) noexcept {
        return text(platform::stream_wait(s, e));
    }
    const char* synchronize_event(event_type e) noexcept {
        return text(platform::event_synchronize(e));
    }
    const char* elapsed(float& milliseconds, event_type from, event_type to) noexcept {
        return text(platform::event_elapsed(&milliseconds, from, to));
    }
    const char* allocate(void*& pointer, std::size_t bytes) noexcept {
        return text(platform::allocate(&pointer, bytes));
    }
    void release(void* pointer) noexcept { (void)platform::release(pointer); }
    const char* allocate_pinned(void*& pointer, std::size_t bytes) noexcept {
        return text(platform::host_allocate(&pointer, bytes));
    }
    void release_pinned(void* pointer) noexcept { (void)platform::host_release(pointer); }
    bool is_pinned(const void* pointer) noexcept { return platform::is_pinned(pointer); }
    const char* copy_to_device(void* to, const void* from, std::size_t bytes,
                               stream_type s) noexcept {
        return text(platform::copy_to_device(to, from, bytes, s));
    }
    const char* copy_to_host(void* to, const void* from, std::size_t bytes,
                             stream_type s) noexcept {
        return text(platform::copy_to_host(to, from, bytes, s));
    }

private:
    static const char* text(platform::result code) noexcept {
        return code == platform::success ? nullptr : platform::text(code);
    }

    int number_ = 0;
};

#endif // R9V_GPU

} // namespace r9v::inline R9V_ABI::runtime
