// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The pieces of work that streams order and graphs hold.
#pragma once

#include "hip/module.hpp"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hip/hip_runtime_api.h>
#include <memory>
#include <variant>
#include <vector>

namespace r9v_emulator::hip {

struct event_record;
struct graph_steps;

struct kernel_operation {
    function* target = nullptr;
    const void* stub = nullptr; ///< host address that the kernel was launched by, if any
    dim3 blocks, threads;
    std::uint32_t dynamic_lds = 0;
    std::vector<std::byte> arguments; ///< the caller's part of the argument buffer
};

/// A box of bytes; height and depth are 1 for plain copies.
struct copy_operation {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t width = 0, height = 1, depth = 1;
    std::size_t to_pitch = 0, from_pitch = 0; ///< bytes from row to row
    std::size_t to_slice = 0, from_slice = 0; ///< bytes from slice to slice
    hipMemcpyKind kind = hipMemcpyDefault;
    std::shared_ptr<std::vector<std::byte>> staged; ///< owns what `from` points to, if set
};

struct fill_operation {
    void* to = nullptr;
    std::uint32_t pattern = 0;
    unsigned pattern_bytes = 1;
    std::size_t width = 0; ///< patterns in a row
    std::size_t height = 1, depth = 1;
    std::size_t pitch = 0, slice = 0; ///< bytes
};

/// A function of the program; it may block, so that it never runs inside a call that enqueues it.
struct host_operation {
    hipHostFn_t call = nullptr;
    void* data = nullptr;
};

struct callback_operation {
    hipStreamCallback_t call = nullptr;
    hipStream_t stream = nullptr;
    void* data = nullptr;
};

struct record_operation {
    std::shared_ptr<event_record> record;
    hipEvent_t event = nullptr; ///< in graphs: whose record each launch replaces
};

/// In graphs: waits for what the event last recorded, outside of the graph.
struct wait_operation {
    hipEvent_t event = nullptr;
};

struct release_operation {
    void* pointer = nullptr;
};

struct graph_operation {
    std::shared_ptr<const graph_steps> steps;
};

using operation = std::variant<std::monostate, kernel_operation, copy_operation, fill_operation,
                               host_operation, callback_operation, record_operation, wait_operation,
                               release_operation, graph_operation>;

/// The operations of an instantiated graph, in an order that its edges allow.
struct graph_steps {
    std::vector<operation> operations;
    bool may_block = false;
};

/// Whether the operation may wait for something that its enqueuing thread has yet to do.
bool may_block(const operation& work);

/// Does the work on the calling thread.
void perform(const operation& work);

} // namespace r9v_emulator::hip
