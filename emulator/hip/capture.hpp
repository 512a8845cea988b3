// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Stream capture: work enqueued on a capturing stream becomes nodes of a graph. Calls that a
// capture cannot express are refused and end its validity, as on the real runtime.
#pragma once

#include "hip/event.hpp"
#include "hip/graph.hpp"
#include "hip/stream.hpp"
#include <hip/hip_runtime_api.h>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace r9v_emulator::hip {

/// One capture sequence: the stream that began it and those that joined through events.
struct capture {
    std::shared_ptr<ihipGraph> graph;
    hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    std::thread::id thread;
    stream* origin = nullptr;
    bool valid = true;
    unsigned long long id = 0;
    std::vector<std::shared_ptr<stream>> members;
};

/// Guards every capture, and the capture fields of streams and events.
std::mutex& capture_mutex();
/// Whether any stream captures: false lets calls skip all that follows.
bool captures_active();

hipError_t begin_capture(const std::shared_ptr<stream>& origin, hipStreamCaptureMode mode);
hipError_t end_capture(stream& origin, std::shared_ptr<ihipGraph>& graph);

/// Adds the work as a node where `target` captures, and answers the call's result; empty where it
/// does not. Work on the null stream is refused while a stream that it is ordered with captures.
std::optional<hipError_t> capture_work(stream& target, hipGraphNodeType type,
                                       const operation& work);
std::optional<hipError_t> capture_record(stream& target, event& mark);
std::optional<hipError_t> capture_wait(const std::shared_ptr<stream>& target, event& mark);

/// Refuses a call that touches the whole device (allocation, synchronous copy) where a capture
/// forbids it to this thread.
hipError_t refuse_unsafe_call();
/// Refuses to wait for, query or otherwise look into a stream that captures.
hipError_t refuse_while_capturing(stream& target);
hipError_t refuse_captured(event& mark);
hipError_t refuse_device_wait();

/// The capture of a stream, as hipStreamGetCaptureInfo reports it.
struct capture_status {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    unsigned long long id = 0;
    hipGraph_t graph = nullptr;
    const std::vector<hipGraphNode_t>* frontier = nullptr;
};
capture_status status_of(stream& target);
hipError_t update_frontier(stream& target, std::span<const hipGraphNode_t> nodes, bool replace);

/// Sets this thread's mode and answers the one before.
hipStreamCaptureMode exchange_thread_mode(hipStreamCaptureMode mode);

/// Takes a stream that is destroyed out of its capture.
void abandon_capture(stream& target);

} // namespace r9v_emulator::hip
