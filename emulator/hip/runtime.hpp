// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The devices of the process, and what the environment asks of them.
#pragma once

#include "device/launch.hpp"
#include "device/memory.hpp"
#include <atomic>
#include <mutex>

namespace r9v_emulator::hip {

constexpr unsigned most_devices = 8;

/// The device that the calling thread works with (hipSetDevice).
unsigned selected_device();
void select_device(unsigned ordinal);

class runtime {
public:
    /// Made at the first call, which is a registration before main; never destroyed, because
    /// programs release device memory from the destructors of their globals.
    static runtime& instance();

    memory& device_memory() { return memory_; }
    execution_options options() const;
    /// Of the options, what every call that queues or waits asks for.
    std::uint64_t seed() const;
    void set_options(const execution_options& changed);

    unsigned devices() const { return memory_.devices(); }
    bool may_access(unsigned device, unsigned peer) const { return peers_[device][peer]; }
    void set_access(unsigned device, unsigned peer, bool open) { peers_[device][peer] = open; }

    /// Held while a kernel runs: launches take turns, each uses all host threads.
    std::mutex& execution() { return execution_; }
    /// Device address of the dispatch packet; only its holder of execution() may touch it.
    std::uint64_t dispatch_packet();

private:
    runtime();

    memory memory_;
    mutable std::mutex options_mutex_;
    execution_options options_;
    std::mutex execution_;
    std::uint64_t packet_ = 0;
    std::atomic<bool> peers_[most_devices][most_devices] = {};
};

inline memory& device_memory() {
    return runtime::instance().device_memory();
}

/// Device memory of the selected device; 0 where there is not enough.
inline std::uint64_t allocate_on_device(std::uint64_t bytes, std::uint64_t alignment,
                                        std::string_view label, bool host_visible = false) {
    return device_memory().allocate(bytes, alignment, label, host_visible, selected_device());
}

inline std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}
inline void* pointer_to(std::uint64_t address) {
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

} // namespace r9v_emulator::hip
