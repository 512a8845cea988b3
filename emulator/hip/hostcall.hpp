// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Calls from kernels to the host, by the protocol of AMD's device library: a wave fills a packet,
// pushes it on a stack, sends a message, and waits until the packet is no longer marked ready.
#pragma once

#include "hip/device_printf.hpp"
#include <cstdint>
#include <mutex>

namespace r9v_emulator {

class memory;

namespace hip {

class hostcall {
public:
    static hostcall& instance();

    /// Device address of the buffer that kernels get as their hidden argument.
    std::uint64_t buffer();
    /// Serves every packet that is ready; called when a wave sends a message.
    static void on_message(void* self, std::uint32_t message);

private:
    void make_buffer();
    void serve_ready();
    void serve(std::uint64_t packet);

    std::mutex mutex_;
    std::uint64_t buffer_ = 0, headers_ = 0, payloads_ = 0;
    device_printf printf_;
};

} // namespace hip
} // namespace r9v_emulator
