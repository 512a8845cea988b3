// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/hostcall.hpp"

#include "hip/runtime.hpp"
#include <new>
#include <vector>

namespace r9v_emulator::hip {
namespace {

/// More than waves can be resident: a wave takes a packet without looking whether one is left.
constexpr std::uint64_t packets = 4096;
constexpr std::uint64_t index_mask = packets - 1;
constexpr std::uint64_t slots = 8;

struct buffer_layout {
    std::uint64_t headers;
    std::uint64_t payloads;
    std::uint64_t doorbell;
    std::uint64_t free_stack;
    std::uint64_t ready_stack;
    std::uint64_t index_mask;
};

struct header_layout {
    std::uint64_t next;
    std::uint64_t active_lanes;
    std::uint32_t service;
    std::uint32_t control; ///< bit 0: ready
};

struct payload_layout {
    std::uint64_t slot[64][slots];
};

/// The part of an HSA signal that the device library reads; a mailbox makes it send a message.
struct signal_layout {
    std::int64_t kind;
    std::int64_t value;
    std::uint64_t mailbox;
    std::uint32_t event;
    std::uint32_t reserved[9];
};

enum service : std::uint32_t { service_printf = 2 };

template<class T>
T* view(std::uint64_t address) {
    return reinterpret_cast<T*>(device_memory().alias(address));
}

std::uint64_t allocate(std::uint64_t bytes, const char* label) {
    const auto address = device_memory().allocate(bytes, 64, label);
    if (address == 0) throw std::bad_alloc();
    device_memory().share(address); // kernels of all devices call
    return address;
}

} // namespace

hostcall& hostcall::instance() {
    static auto& calls = *new hostcall;
    return calls;
}

std::uint64_t hostcall::buffer() {
    const std::lock_guard lock(mutex_);
    if (buffer_ == 0) make_buffer();
    return buffer_;
}

void hostcall::make_buffer() {
    auto& memory = device_memory();
    headers_ = allocate(packets * sizeof(header_layout), "hostcall headers");
    payloads_ = allocate(packets * sizeof(payload_layout), "hostcall payloads");
    const auto mailbox = allocate(8, "hostcall mailbox");
    memory.fill(mailbox, 0, 4, 2);
    const auto doorbell = allocate(sizeof(signal_layout), "hostcall doorbell");
    signal_layout signal = {};
    signal.mailbox = mailbox;
    signal.event = 1;
    memory.write(doorbell, &signal, sizeof(signal));
    // Packet 0 ends the stack: its number also means "none".
    std::vector<header_layout> headers(packets);
    for (std::uint64_t i = 1; i < packets; ++i)
        headers[i].next = (i + 1) & index_mask;
    memory.write(headers_, headers.data(), headers.size() * sizeof(header_layout));
    const auto buffer = allocate(sizeof(buffer_layout), "hostcall buffer");
    const buffer_layout layout = {headers_, payloads_, doorbell, 1, 0, index_mask};
    memory.write(buffer, &layout, sizeof(layout));
    buffer_ = buffer;
}

void hostcall::on_message(void* self, std::uint32_t) {
    static_cast<hostcall*>(self)->serve_ready();
}

void hostcall::serve_ready() {
    const std::lock_guard lock(mutex_);
    if (buffer_ == 0) return;
    auto* const stack = &view<buffer_layout>(buffer_)->ready_stack;
    auto next = __atomic_exchange_n(stack, std::uint64_t{0}, __ATOMIC_ACQ_REL);
    while (next != 0) {
        const auto packet = next & index_mask;
        auto* const header = view<header_layout>(headers_ + packet * sizeof(header_layout));
        next = header->next;
        serve(packet);
        __atomic_and_fetch(&header->control, ~1U, __ATOMIC_RELEASE);
    }
}

void hostcall::serve(std::uint64_t packet) {
    const auto& header = *view<header_layout>(headers_ + packet * sizeof(header_layout));
    auto& payload = *view<payload_layout>(payloads_ + packet * sizeof(payload_layout));
    for (unsigned lane = 0; lane < 64; ++lane) {
        if ((header.active_lanes >> lane & 1) == 0) continue;
        auto& call = payload.slot[lane];
        if (header.service == service_printf) {
            call[0] = printf_.receive(call);
        } else {
            call[0] = 0; // an allocation that failed, for instance
        }
    }
}

} // namespace r9v_emulator::hip
