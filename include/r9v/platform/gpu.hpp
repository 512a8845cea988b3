// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The thin names for the GPU runtime: HIP, or CUDA under nvcc. Nothing above this folder names
// either. Present only where kernels can be compiled (R9V_GPU).
#pragma once

#include <r9v/core/config.hpp>
#include <r9v/core/error.hpp>

#if R9V_GPU

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include <hip/hip_runtime.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace r9v::inline R9V_ABI {

namespace platform {

#if defined(__CUDACC__)
using stream_handle = cudaStream_t;
using result = cudaError_t;
inline constexpr result success = cudaSuccess;
inline const char* text(result code) {
    return cudaGetErrorString(code);
}
inline result stream_create(stream_handle* s) {
    return cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
}
inline result stream_destroy(stream_handle s) {
    return cudaStreamDestroy(s);
}
inline result stream_synchronize(stream_handle s) {
    return cudaStreamSynchronize(s);
}
inline result allocate(void** pointer, std::size_t bytes) {
    return cudaMalloc(pointer, bytes);
}
inline result release(void* pointer) {
    return cudaFree(pointer);
}
inline result copy_to_device(void* to, const void* from, std::size_t bytes, stream_handle s) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, s);
}
inline result copy_to_host(void* to, const void* from, std::size_t bytes, stream_handle s) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s);
}
inline result fill(void* to, int byte, std::size_t bytes, stream_handle s) {
    return cudaMemsetAsync(to, byte, bytes, s);
}
inline result fill_rows(void* to, std::size_t pitch, int byte, std::size_t width, std::size_t rows,
                        stream_handle s) {
    return cudaMemset2DAsync(to, pitch, byte, width, rows, s);
}
inline result launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments,
                     stream_handle s) {
    return cudaLaunchKernel(kernel, dim3{blocks}, dim3{threads}, arguments, 0, s);
}
inline result current_device(int* device) {
    return cudaGetDevice(device);
}

// Events: timed ones answer event_elapsed, blocking ones make a waiting host thread sleep.
using event_handle = cudaEvent_t;
inline constexpr result not_ready = cudaErrorNotReady;
inline result event_create(event_handle* e, bool timed, bool blocking) {
    return cudaEventCreateWithFlags(e, (timed ? cudaEventDefault : cudaEventDisableTiming) |
                                           (blocking ? cudaEventBlockingSync : cudaEventDefault));
}
inline result event_destroy(event_handle e) {
    return cudaEventDestroy(e);
}
inline result event_record(event_handle e, stream_handle s) {
    return cudaEventRecord(e, s);
}
inline result event_synchronize(event_handle e) {
    return cudaEventSynchronize(e);
}
inline result event_query(event_handle e) {
    return cudaEventQuery(e);
}
inline result event_elapsed(float* milliseconds, event_handle from, event_handle to) {
    return cudaEventElapsedTime(milliseconds, from, to);
}
inline result stream_wait(stream_handle s, event_handle e) {
    return cudaStreamWaitEvent(s, e, 0);
}
inline result stream_query(stream_handle s) {
    return cudaStreamQuery(s);
}
inline result set_device(int device) {
    return cudaSetDevice(device);
}
/// The calling thread's last error, which is forgotten.
inline result take_last_error() {
    return cudaGetLastError();
}

// Pinned host memory, which copies reach without the host's help.
inline result host_allocate(void** pointer, std::size_t bytes) {
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}
inline result host_release(void* pointer) {
    return cudaFreeHost(pointer);
}
inline bool is_pinned(const void* pointer) {
    cudaPointerAttributes found{};
    if (cudaPointerGetAttributes(&found, pointer) == success)
        return found.type == cudaMemoryTypeHost;
    (void)take_last_error();
    return false;
}
#else
using stream_handle = hipStream_t;
using result = hipError_t;
inline constexpr result success = hipSuccess;
inline const char* text(result code) {
    return hipGetErrorString(code);
}
inline result stream_create(stream_handle* s) {
    return hipStreamCreateWithFlags(s, hipStreamNonBlocking);
}
inline result stream_destroy(stream_handle s) {
    return hipStreamDestroy(s);
}
inline result stream_synchronize(stream_handle s) {
    return hipStreamSynchronize(s);
}
inline result allocate(void** pointer, std::size_t bytes) {
    return hipMalloc(pointer, bytes);
}
inline result release(void* pointer) {
    return hipFree(pointer);
}
inline result copy_to_device(void* to, const void* from, std::size_t bytes, stream_handle s) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, s);
}
inline result copy_to_host(void* to, const void* from, std::size_t bytes, stream_handle s) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, s);
}
inline result fill(void* to, int byte, std::size_t bytes, stream_handle s) {
    return hipMemsetAsync(to, byte, bytes, s);
}
inline result fill_rows(void* to, std::size_t pitch, int byte, std::size_t width, std::size_t rows,
                        stream_handle s) {
    return hipMemset2DAsync(to, pitch, byte, width, rows, s);
}
inline result launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments,
                     stream_handle s) {
    return hipLaunchKernel(kernel, dim3{blocks}, dim3{threads}, arguments, 0, s);
}
inline result current_device(int* device) {
    return hipGetDevice(device);
}

// Events: timed ones answer event_elapsed, blocking ones make a waiting host thread sleep.
using event_handle = hipEvent_t;
inline constexpr result not_ready = hipErrorNotReady;
inline result event_create(event_handle* e, bool timed, bool blocking) {
    return hipEventCreateWithFlags(e, (timed ? hipEventDefault : hipEventDisableTiming) |
                                          (blocking ? hipEventBlockingSync : hipEventDefault));
}
inline result event_destroy(event_handle e) {
    return hipEventDestroy(e);
}
inline result event_record(event_handle e, stream_handle s) {
    return hipEventRecord(e, s);
}
inline result event_synchronize(event_handle e) {
    return hipEventSynchronize(e);
}
inline result event_query(event_handle e) {
    return hipEventQuery(e);
}
inline result event_elapsed(float* milliseconds, event_handle from, event_handle to) {
    return hipEventElapsedTime(milliseconds, from, to);
}
inline result stream_wait(stream_handle s, event_handle e) {
    return hipStreamWaitEvent(s, e, 0);
}
inline result stream_query(stream_handle s) {
    return hipStreamQuery(s);
}
inline result set_device(int device) {
    return hipSetDevice(device);
}
/// The calling thread's last error, which is forgotten.
inline result take_last_error() {
    return hipGetLastError();
}

// Pinned host memory, which copies reach without the host's help.
inline result host_allocate(void** pointer, std::size_t bytes) {
    return hipHostMalloc(pointer, bytes, hipHostMallocDefault);
}
inline result host_release(void* pointer) {
    return hipHostFree(pointer);
}
inline bool is_pinned(const void* pointer) {
    hipMemoryType found{};
    if (hipPointerGetAttribute(&found, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               const_cast<void*>(pointer)) == success)
        return found == hipMemoryTypeHost;
    (void)take_last_error();
    return false;
}
#endif

/// A runtime call's result as a status; `what` names the call in the message.
inline status check(result code, const char* what) noexcept {
    if (code == success) return {};
    return error{"r9v: %s failed: %s. See the GPU runtime's log.", what, text(code)};
}

/// What choosing a kernel needs to know about a device.
struct device_traits {
    int architecture = 0;  ///< 1201 for gfx1201, 900 for sm_90; 0 when unknown
    int compute_units = 0; ///< on RDNA the runtime counts work group processors: two units each
};

inline device_traits query_device(int device) noexcept {
    device_traits traits;
#if defined(__CUDACC__)
    int major = 0;
    int minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != success ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != success ||
        cudaDeviceGetAttribute(&traits.compute_units, cudaDevAttrMultiProcessorCount, device) !=
            success)
        return {};
    traits.architecture = major * 100 + minor * 10;
#else
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, device) != success) return {};
    const char* name = properties.gcnArchName;
    if (std::strncmp(name, "gfx", 3) == 0) traits.architecture = std::atoi(name + 3);
    traits.compute_units = 2 * properties.multiProcessorCount;
#endif
    return traits;
}

/// query_device, asked once per device: the runtime's own query takes too long for a launch.
inline device_traits device(int number) noexcept {
    static constexpr int devices = 64;
    static std::atomic<std::uint64_t> known[devices]; // architecture, compute units
    if (number < 0 || number >= devices) return query_device(number);
    std::uint64_t both = known[number].load(std::memory_order_relaxed);
    if (both == 0) {
        const device_traits traits = query_device(number);
        both = static_cast<std::uint64_t>(traits.architecture) << 32 |
               static_cast<std::uint32_t>(traits.compute_units);
        known[number].store(both, std::memory_order_relaxed);
    }
    return {static_cast<int>(both >> 32), static_cast<int>(both & 0xffff'ffffu)};
}

} // namespace platform

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
