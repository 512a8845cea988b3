// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An owned stream. Engines that have streams of their own pass those to `launch` instead.
#pragma once

#include <r9v/platform/gpu.hpp>

#if R9V_GPU

#include <utility>

namespace r9v::inline R9V_ABI {

/// A non-blocking stream of the current device: it does not wait for the null stream.
/// Throws r9v::error when the runtime cannot make one. The destructor waits for nothing; work that
/// was queued still runs.
class stream {
public:
    stream() { throw_if_failed(platform::check(platform::stream_create(&handle_), "stream")); }
    stream(stream&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
    stream& operator=(stream&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    ~stream() {
        if (handle_ != nullptr) (void)platform::stream_destroy(handle_);
    }

    [[nodiscard]] platform::stream_handle handle() const noexcept { return handle_; }

    /// Blocks the host until everything queued so far is done. Throws r9v::error on a device fault.
    void synchronize() const {
        throw_if_failed(platform::check(platform::stream_synchronize(handle_), "synchronize"));
    }

private:
    platform::stream_handle handle_ = nullptr;
};

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
