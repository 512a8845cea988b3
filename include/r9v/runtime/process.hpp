// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What happens to a process as a whole, and after which no handle of the GPU runtime may be
// touched: it ends, it is a fork's child, or its device was reset. Owners note the moment they were
// made and ask later whether it still holds.
#pragma once

#include <r9v/core/config.hpp>

#include <atomic>
#include <cstdlib>
#include <pthread.h>

namespace r9v::inline R9V_ABI {

namespace runtime {

inline constexpr int most_devices = 64;

/// One per process; constant initialised and never destroyed, so it may be read at any time.
struct process_events {
    std::atomic<bool> exiting{false};
    std::atomic<bool> watched{false};
    std::atomic<unsigned> forks{0};
    std::atomic<unsigned> resets[most_devices]{};
};
inline constinit process_events process;

/// Makes forks and the process's end known. Owners call this when they are made and again when they
/// first hold memory: exit handlers run in reverse, so the second comes before the destructor of an
/// owner with static storage, whichever of the GPU runtime's own handlers ran by then.
inline void watch_process() noexcept {
    if (!process.watched.exchange(true, std::memory_order_relaxed))
        (void)pthread_atfork(nullptr, nullptr,
                             [] { process.forks.fetch_add(1, std::memory_order_relaxed); });
    (void)std::atexit([] { process.exiting.store(true, std::memory_order_relaxed); });
}

/// Why handles of the GPU runtime are no longer valid.
enum class loss { none, exiting, forked, reset };

/// A point in the life of the process and one device.
class moment {
public:
    explicit moment(int device) noexcept
        : resets_{device >= 0 && device < most_devices ? &process.resets[device] : nullptr},
          forks_then_{process.forks.load(std::memory_order_relaxed)},
          resets_then_{resets()} {}

    /// What happened since. A few loads.
    [[nodiscard]] loss lost() const noexcept {
        if (process.exiting.load(std::memory_order_relaxed)) return loss::exiting;
        if (process.forks.load(std::memory_order_relaxed) != forks_then_) return loss::forked;
        return resets() != resets_then_ ? loss::reset : loss::none;
    }

private:
    [[nodiscard]] unsigned resets() const noexcept {
        return resets_ == nullptr ? 0 : resets_->load(std::memory_order_relaxed);
    }

    const std::atomic<unsigned>* resets_;
    unsigned forks_then_;
    unsigned resets_then_;
};

} // namespace runtime

/// Tells r9v that `device` was reset by a call of the GPU runtime: everything that r9v owns there
/// refuses further work with an error, and its destructors do nothing. r9v::reset_device does both.
inline void note_device_reset(int device) noexcept {
    if (device >= 0 && device < runtime::most_devices)
        runtime::process.resets[device].fetch_add(1, std::memory_order_relaxed);
}

} // namespace r9v::inline R9V_ABI
