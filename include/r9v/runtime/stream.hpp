// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// An owned stream. Engines that have streams of their own pass those to `launch` instead.
#pragma once

#include <r9v/platform/gpu.hpp>
#include <r9v/runtime/process.hpp>
#include <r9v/runtime/stream_record.hpp>

#if R9V_GPU

#include <memory>
#include <utility>

namespace r9v::inline R9V_ABI {

namespace runtime {

class gpu_stream_record final : public stream_record {
public:
    gpu_stream_record(platform::stream_handle handle, int device) noexcept
        : stream_record{handle, device},
          made_{device} {}
    ~gpu_stream_record() override {
        if (end_ != nullptr && usable()) (void)platform::event_destroy(end_);
    }
    /// Whether handles of the runtime still mean anything.
    [[nodiscard]] bool usable() const noexcept { return made_.lost() == loss::none; }

private:
    void* mark_end() noexcept override {
        if (platform::event_create(&end_, false, false) != platform::success) return nullptr;
        (void)platform::event_record(end_, static_cast<platform::stream_handle>(handle()));
        return end_;
    }

    moment made_;
    platform::event_handle end_ = nullptr;
};

} // namespace runtime

/// A non-blocking stream of the current device: it does not wait for the null stream.
/// Throws r9v::error when the runtime cannot make one. The destructor waits for nothing; work that
/// was queued still runs.
class stream {
public:
    stream() {
        int device = 0;
        throw_if_failed(platform::check(platform::current_device(&device), "stream"));
        throw_if_failed(platform::check(platform::stream_create(&handle_), "stream"));
        record_ = std::make_shared<runtime::gpu_stream_record>(handle_, device);
    }
    stream(stream&& other) noexcept
        : handle_{std::exchange(other.handle_, nullptr)},
          record_{std::move(other.record_)} {}
    stream& operator=(stream&& other) noexcept {
        std::swap(handle_, other.handle_);
        record_.swap(other.record_);
        return *this;
    }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    ~stream() {
        if (handle_ == nullptr || !usable()) return;
        record_->close();
        (void)platform::stream_destroy(handle_);
    }

    [[nodiscard]] platform::stream_handle handle() const noexcept { return handle_; }
    /// The stream as pools take it: with an identity that outlives the handle. An empty stream (one
    /// that was moved from) is the null stream.
    operator stream_ref() const noexcept { // NOLINT(google-explicit-constructor)
        return record_ == nullptr ? stream_ref{} : stream_ref{record_};
    }

    /// Blocks the host until everything queued so far is done. Throws r9v::error on a device fault.
    void synchronize() const {
        throw_if_failed(platform::check(platform::stream_synchronize(handle_), "synchronize"));
    }

private:
    [[nodiscard]] bool usable() const noexcept {
        return static_cast<const runtime::gpu_stream_record&>(*record_).usable();
    }

    platform::stream_handle handle_ = nullptr;
    std::shared_ptr<runtime::stream_record> record_;
};

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
