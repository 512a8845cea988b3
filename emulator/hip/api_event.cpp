// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Events. The time between two records is modelled time where the clock is on (R9V_EMULATOR_CLOCK),
// else host time.

#include "hip/capture.hpp"
#include "hip/deferral.hpp"
#include "hip/error.hpp"
#include "hip/event.hpp"
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

constexpr unsigned known_flags = hipEventBlockingSync | hipEventDisableTiming |
                                 hipEventReleaseToDevice | hipEventReleaseToSystem;

hipError_t create(hipEvent_t* result, unsigned flags) {
    const bool both =
        (flags & hipEventReleaseToDevice) != 0 && (flags & hipEventReleaseToSystem) != 0;
    if (!result || (flags & ~known_flags) != 0 || both) return hipErrorInvalidValue;
    *result = event_table::instance().create(flags);
    return hipSuccess;
}

hipError_t record(hipEvent_t handle, hipStream_t where) {
    const auto mark = event_table::instance().find(handle);
    auto& streams = stream_table::instance();
    const auto target = streams.find(where);
    if (!mark || !target) return hipErrorInvalidHandle;
    if (const auto captured = capture_record(*target, *mark)) return *captured;
    if (target->legacy()) {
        if (const auto refused = refuse_while_capturing(*target); refused != hipSuccess) {
            return refused;
        }
    }
    mark->record(*target, streams.implied_order(*target));
    return hipSuccess;
}

/// Runs `body` on the last record of a live event that no capture holds; null before the first.
template<class Body>
hipError_t on_record(hipEvent_t handle, Body body) {
    const auto mark = event_table::instance().find(handle);
    if (!mark) return hipErrorInvalidHandle;
    if (const auto refused = refuse_captured(*mark); refused != hipSuccess) return refused;
    return body(mark->current());
}

using record_pointer = std::shared_ptr<event_record>;

hipError_t synchronize(const record_pointer& record) {
    if (record) record->point.wait();
    return sticky_error();
}

hipError_t query(const record_pointer& record) {
    deferral::instance().glance();
    return !record || record->point.done() ? hipSuccess : hipErrorNotReady;
}

hipError_t elapsed(float* milliseconds, hipEvent_t from, hipEvent_t to) {
    const auto first = event_table::instance().find(from);
    const auto second = event_table::instance().find(to);
    if (!milliseconds) return hipErrorInvalidValue;
    if (!first || !second || !first->timed() || !second->timed()) return hipErrorInvalidHandle;
    const auto begin = first->current();
    const auto end = second->current();
    if (!begin || !end) return hipErrorInvalidHandle;
    if (!begin->point.done() || !end->point.done()) return hipErrorNotReady;
    *milliseconds = elapsed_milliseconds(*begin, *end);
    return hipSuccess;
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipEventCreate(hipEvent_t* result) {
    return device_call([&] { return create(result, hipEventDefault); });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* result, unsigned flags) {
    return device_call([&] { return create(result, flags); });
}

hipError_t hipEventDestroy(hipEvent_t handle) {
    return guarded([&] {
        return event_table::instance().destroy(handle) ? hipSuccess : hipErrorInvalidHandle;
    });
}

hipError_t hipEventRecord(hipEvent_t handle, hipStream_t stream) {
    return device_call([&] { return record(handle, stream); });
}

hipError_t hipEventSynchronize(hipEvent_t handle) {
    return device_call([&] { return on_record(handle, synchronize); });
}

hipError_t hipEventQuery(hipEvent_t handle) {
    return device_call([&] { return on_record(handle, query); });
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t from, hipEvent_t to) {
    return device_call([&] { return elapsed(milliseconds, from, to); });
}

} // extern "C"
