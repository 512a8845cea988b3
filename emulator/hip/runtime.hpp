// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The one device of the process, and what the environment asks of it.
#pragma once

#include "device/launch.hpp"
#include "device/memory.hpp"
#include <mutex>

namespace r9v_emulator::hip {

class runtime {
public:
    /// Made at the first call, which is a registration before main; never destroyed, because
    /// programs release device memory from the destructors of their globals.
    static runtime& instance();

    memory& device_memory() { return memory_; }
    execution_options options() const;
    void set_options(const execution_options& changed);

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
};

inline memory& device_memory() {
    return runtime::instance().device_memory();
}

inline std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}
inline void* pointer_to(std::uint64_t address) {
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

} // namespace r9v_emulator::hip
