// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// More thin names for the GPU runtime: devices, host memory, events, capture. Both runtimes spell
// these alike but for the prefix.
#pragma once

#include <r9v/platform/gpu.hpp>

#if R9V_GPU

#if defined(__CUDACC__)
#define R9V_RUNTIME(name) cuda##name
#else
#define R9V_RUNTIME(name) hip##name
#endif

namespace r9v::inline R9V_ABI {

namespace platform {

inline result set_device(int device) {
    return R9V_RUNTIME(SetDevice)(device);
}
inline result device_synchronize() {
    return R9V_RUNTIME(DeviceSynchronize)();
}
inline result reset_device() {
    return R9V_RUNTIME(DeviceReset)();
}
/// The device of a stream; where the runtime cannot tell, the current one.
inline result device_of(stream_handle s, int* device) {
#if defined(__CUDACC__)
#if CUDART_VERSION >= 12080
    return cudaStreamGetDevice(s, device);
#else
    (void)s;
    return cudaGetDevice(device);
#endif
#else
    *device = hipGetStreamDeviceId(s);
    return *device < 0 ? hipErrorInvalidHandle : success;
#endif
}
/// An error that was handled here must not be found again by the next check of a launch.
inline void forget_last_error() {
    (void)R9V_RUNTIME(GetLastError)();
}

#if defined(__CUDACC__)
inline constexpr result out_of_memory = cudaErrorMemoryAllocation;
#else
inline constexpr result out_of_memory = hipErrorOutOfMemory;
#endif
inline result memory_info(std::size_t* free, std::size_t* total) {
    return R9V_RUNTIME(MemGetInfo)(free, total);
}
inline result host_allocate(void** pointer, std::size_t bytes) {
#if defined(__CUDACC__)
    return cudaMallocHost(pointer, bytes);
#else
    return hipHostMalloc(pointer, bytes, hipHostMallocDefault);
#endif
}
inline result host_release(void* pointer) {
#if defined(__CUDACC__)
    return cudaFreeHost(pointer);
#else
    return hipHostFree(pointer);
#endif
}

using event_handle = R9V_RUNTIME(Event_t);
inline constexpr result not_ready = R9V_RUNTIME(ErrorNotReady);
/// Without timing an event costs less to record and to wait for.
inline result event_create(event_handle* e, bool timed = false) {
    return R9V_RUNTIME(EventCreateWithFlags)(e, timed ? R9V_RUNTIME(EventDefault)
                                                      : R9V_RUNTIME(EventDisableTiming));
}
inline result event_destroy(event_handle e) {
    return R9V_RUNTIME(EventDestroy)(e);
}
inline result event_record(event_handle e, stream_handle s) {
    return R9V_RUNTIME(EventRecord)(e, s);
}
inline result event_query(event_handle e) {
    return R9V_RUNTIME(EventQuery)(e);
}
inline result event_synchronize(event_handle e) {
    return R9V_RUNTIME(EventSynchronize)(e);
}
inline result event_elapsed(float* milliseconds, event_handle from, event_handle to) {
    return R9V_RUNTIME(EventElapsedTime)(milliseconds, from, to);
}
inline result stream_wait(stream_handle s, event_handle e) {
    return R9V_RUNTIME(StreamWaitEvent)(s, e, 0);
}
inline result stream_query(stream_handle s) {
    return R9V_RUNTIME(StreamQuery)(s);
}

inline result is_capturing(stream_handle s, bool* capturing) {
    R9V_RUNTIME(StreamCaptureStatus) state = R9V_RUNTIME(StreamCaptureStatusNone);
    const result code = R9V_RUNTIME(StreamIsCapturing)(s, &state);
    *capturing = state != R9V_RUNTIME(StreamCaptureStatusNone);
    return code;
}
/// While it lives, this thread may allocate and release although some stream is captured.
class outside_capture {
public:
    outside_capture() { (void)R9V_RUNTIME(ThreadExchangeStreamCaptureMode)(&mode_); }
    outside_capture(const outside_capture&) = delete;
    outside_capture& operator=(const outside_capture&) = delete;
    ~outside_capture() { (void)R9V_RUNTIME(ThreadExchangeStreamCaptureMode)(&mode_); }

private:
    R9V_RUNTIME(StreamCaptureMode) mode_ = R9V_RUNTIME(StreamCaptureModeRelaxed);
};
/// A number that no other stream of the process ever has, or 0 where the runtime gives none.
inline std::uint64_t stream_number(stream_handle s) {
#if defined(__CUDACC__) && CUDART_VERSION >= 12000
    unsigned long long number = 0;
    return cudaStreamGetId(s, &number) == success ? number + 1 : 0;
#else
    (void)s;
    return 0;
#endif
}

} // namespace platform

} // namespace r9v::inline R9V_ABI

#undef R9V_RUNTIME

#endif // R9V_GPU
