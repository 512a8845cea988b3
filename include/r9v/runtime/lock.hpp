// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A mutex for critical sections of some tens of nanoseconds: it spins a little, since the holder is
// about to leave, and then sleeps, since the holder may have lost its core.
#pragma once

#include <r9v/core/config.hpp>

#include <atomic>
#include <mutex>

namespace r9v::inline R9V_ABI {

namespace runtime {

class brief_mutex {
public:
    void lock() noexcept {
        for (int spin = 0; spin < spins; ++spin)
            if (try_lock()) return;
        while (state_.exchange(contended, std::memory_order_acquire) != open)
            state_.wait(contended, std::memory_order_relaxed);
    }
    bool try_lock() noexcept {
        unsigned expected = open;
        return state_.load(std::memory_order_relaxed) == open &&
               state_.compare_exchange_weak(expected, held, std::memory_order_acquire,
                                            std::memory_order_relaxed);
    }
    void unlock() noexcept {
        if (state_.exchange(open, std::memory_order_release) == contended) state_.notify_one();
    }

private:
    static constexpr unsigned open = 0;
    static constexpr unsigned held = 1;
    static constexpr unsigned contended = 2; ///< held, and someone may sleep
    static constexpr int spins = 100;

    std::atomic<unsigned> state_{open};
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
