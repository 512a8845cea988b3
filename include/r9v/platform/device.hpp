// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// More thin names for the GPU runtime: devices, memory, capture, the identity of streams. Both
// runtimes spell these alike but for the prefix.
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
#if defined(__CUDACC__)
inline constexpr result out_of_memory = cudaErrorMemoryAllocation;
#else
inline constexpr result out_of_memory = hipErrorOutOfMemory;
#endif
inline result memory_info(std::size_t* free, std::size_t* total) {
    return R9V_RUNTIME(MemGetInfo)(free, total);
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
