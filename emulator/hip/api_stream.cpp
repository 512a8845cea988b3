// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/capture.hpp"
#include "hip/deferral.hpp"
#include "hip/enqueue.hpp"
#include "hip/error.hpp"
#include "hip/graph_table.hpp"
#include <algorithm>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

constexpr int least_priority = 1, greatest_priority = -1;

hipError_t create(hipStream_t* result, unsigned flags, int priority) {
    if (!result || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
    *result = stream_table::instance().create(
        flags, std::clamp(priority, greatest_priority, least_priority));
    return hipSuccess;
}

/// Runs `body` on the live stream of a handle.
template<class Body>
hipError_t on_stream(hipStream_t handle, Body body) {
    const auto target = stream_table::instance().find(handle);
    return target ? body(target) : hipErrorInvalidHandle;
}

using stream_pointer = std::shared_ptr<stream>;

hipError_t synchronize(const stream_pointer& target) {
    if (const auto refused = refuse_while_capturing(*target); refused != hipSuccess) return refused;
    for (const auto& point : stream_table::instance().implied_order(*target)) {
        if (target->legacy()) point.wait();
    }
    target->synchronize();
    return sticky_error();
}

hipError_t query(const stream_pointer& target) {
    if (const auto refused = refuse_while_capturing(*target); refused != hipSuccess) return refused;
    deferral::instance().glance();
    const bool ordered =
        !target->legacy() || stream_table::instance().implied_order(*target).empty();
    return target->idle() && ordered ? hipSuccess : hipErrorNotReady;
}

hipError_t destroy(hipStream_t handle, const stream_pointer& target) {
    if (!handle || handle == hipStreamPerThread) return hipErrorInvalidHandle;
    abandon_capture(*target);
    stream_table::instance().destroy(handle);
    return hipSuccess;
}

hipError_t wait(const stream_pointer& target, hipEvent_t handle) {
    const auto mark = event_table::instance().find(handle);
    if (!mark) return hipErrorInvalidHandle;
    if (const auto captured = capture_wait(target, *mark)) return *captured;
    if (const auto record = mark->current()) target->wait_for(record->point);
    return hipSuccess;
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipStreamCreate(hipStream_t* result) {
    return device_call([&] { return create(result, hipStreamDefault, 0); });
}

hipError_t hipStreamCreateWithFlags(hipStream_t* result, unsigned flags) {
    return device_call([&] { return create(result, flags, 0); });
}

hipError_t hipStreamCreateWithPriority(hipStream_t* result, unsigned flags, int priority) {
    return device_call([&] { return create(result, flags, priority); });
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
    return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t handle) {
    return guarded([&] {
        return on_stream(handle, [&](const stream_pointer& s) { return destroy(handle, s); });
    });
}

hipError_t hipStreamSynchronize(hipStream_t handle) {
    return device_call([&] { return on_stream(handle, synchronize); });
}

hipError_t hipStreamQuery(hipStream_t handle) {
    return device_call([&] { return on_stream(handle, query); });
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags) {
    return device_call([&] {
        if (flags != 0) return hipErrorInvalidValue;
        return on_stream(handle, [&](const stream_pointer& s) { return wait(s, event); });
    });
}

hipError_t hipStreamGetFlags(hipStream_t handle, unsigned* flags) {
    return guarded([&] {
        if (!flags) return hipErrorInvalidValue;
        return on_stream(handle, [&](const stream_pointer& s) {
            *flags = s->flags();
            return hipSuccess;
        });
    });
}

hipError_t hipStreamGetPriority(hipStream_t handle, int* priority) {
    return guarded([&] {
        if (!priority) return hipErrorInvalidValue;
        return on_stream(handle, [&](const stream_pointer& s) {
            *priority = s->priority();
            return hipSuccess;
        });
    });
}

int hipGetStreamDeviceId(hipStream_t) {
    return 0;
}

hipError_t hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t call, void* data,
                                unsigned flags) {
    return device_call([&] {
        if (!call || flags != 0) return hipErrorInvalidValue;
        return enqueue(handle, hipGraphNodeTypeHost, callback_operation{call, handle, data});
    });
}

hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t call, void* data) {
    return device_call([&] {
        if (!call) return hipErrorInvalidValue;
        return enqueue(handle, hipGraphNodeTypeHost, host_operation{call, data});
    });
}

hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode mode) {
    return device_call([&] {
        return on_stream(handle, [&](const stream_pointer& s) { return begin_capture(s, mode); });
    });
}

hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t* result) {
    return device_call([&] {
        if (!result) return hipErrorInvalidValue;
        *result = nullptr;
        return on_stream(handle, [&](const stream_pointer& s) {
            std::shared_ptr<ihipGraph> graph;
            const auto ended = end_capture(*s, graph);
            if (ended == hipSuccess) *result = graph_table::instance().add(std::move(graph));
            return ended;
        });
    });
}

hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus* status) {
    return device_call([&] {
        if (!status) return hipErrorInvalidValue;
        return on_stream(handle, [&](const stream_pointer& s) {
            *status = status_of(*s).status;
            return hipSuccess;
        });
    });
}

hipError_t hipStreamGetCaptureInfo(hipStream_t handle, hipStreamCaptureStatus* status,
                                   unsigned long long* id) {
    return hipStreamGetCaptureInfo_v2(handle, status, id, nullptr, nullptr, nullptr);
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t handle, hipStreamCaptureStatus* status,
                                      unsigned long long* id, hipGraph_t* graph,
                                      const hipGraphNode_t** nodes, std::size_t* count) {
    return device_call([&] {
        if (!status) return hipErrorInvalidValue;
        return on_stream(handle, [&](const stream_pointer& s) {
            const auto now = status_of(*s);
            *status = now.status;
            if (id) *id = now.id;
            if (graph) *graph = now.graph;
            if (nodes) *nodes = now.frontier ? now.frontier->data() : nullptr;
            if (count) *count = now.frontier ? now.frontier->size() : 0;
            return hipSuccess;
        });
    });
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t* nodes,
                                              std::size_t count, unsigned flags) {
    return device_call([&] {
        if (flags > hipStreamSetCaptureDependencies || (count != 0 && !nodes)) {
            return hipErrorInvalidValue;
        }
        return on_stream(handle, [&](const stream_pointer& s) {
            return update_frontier(*s, {nodes, count}, flags == hipStreamSetCaptureDependencies);
        });
    });
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
    return guarded([&] {
        if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed) {
            return hipErrorInvalidValue;
        }
        *mode = exchange_thread_mode(*mode);
        return hipSuccess;
    });
}

} // extern "C"
