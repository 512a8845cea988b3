// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Contexts, which stand for devices: a handle is the device's number plus one.

#include "hip/error.hpp"
#include "hip/runtime.hpp"
#include "hip/stream.hpp"
#include <hip/hip_runtime_api.h>
#include <vector>

namespace r9v_emulator::hip {
namespace {

hipCtx_t context_of(unsigned device) {
    return reinterpret_cast<hipCtx_t>(static_cast<std::uintptr_t>(device) + 1);
}

hipError_t select_context(hipCtx_t context) {
    const auto number = reinterpret_cast<std::uintptr_t>(context);
    if (number == 0 || number > runtime::instance().devices()) return hipErrorInvalidContext;
    select_device(static_cast<unsigned>(number - 1));
    return hipSuccess;
}

hipError_t require_device(hipDevice_t device) {
    const bool known = device >= 0 && device < static_cast<int>(runtime::instance().devices());
    return known ? hipSuccess : hipErrorInvalidDevice;
}

/// The devices that this thread had selected before it pushed others.
std::vector<unsigned>& selected_before() {
    thread_local std::vector<unsigned> devices;
    return devices;
}

hipError_t retain(hipCtx_t* context, hipDevice_t device) {
    if (!context) return hipErrorInvalidValue;
    if (const auto valid = require_device(device); valid != hipSuccess) return valid;
    *context = context_of(static_cast<unsigned>(device));
    return hipSuccess;
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipCtxPushCurrent(hipCtx_t context) {
    return guarded([&] {
        const auto before = selected_device();
        const auto result = select_context(context);
        if (result == hipSuccess) selected_before().push_back(before);
        return result;
    });
}

hipError_t hipCtxPopCurrent(hipCtx_t* context) {
    return guarded([&] {
        if (selected_before().empty()) return hipErrorInvalidContext;
        if (context) *context = context_of(selected_device());
        select_device(selected_before().back());
        selected_before().pop_back();
        return hipSuccess;
    });
}

hipError_t hipCtxCreate(hipCtx_t* context, unsigned, hipDevice_t device) {
    return guarded([&] {
        const auto result = retain(context, device);
        return result == hipSuccess ? hipCtxPushCurrent(*context) : result;
    });
}

hipError_t hipCtxDestroy(hipCtx_t context) {
    return answer(context ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipCtxSetCurrent(hipCtx_t context) {
    return guarded([&] { return select_context(context); });
}

hipError_t hipCtxGetCurrent(hipCtx_t* context) {
    if (!context) return answer(hipErrorInvalidValue);
    *context = context_of(selected_device());
    return hipSuccess;
}

hipError_t hipCtxGetDevice(hipDevice_t* device) {
    return hipGetDevice(device);
}

hipError_t hipCtxSynchronize() {
    return hipDeviceSynchronize();
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
    return guarded([&] { return retain(context, device); });
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
    return guarded([&] { return require_device(device); });
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
    return guarded([&] { return require_device(device); });
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned) {
    return guarded([&] { return require_device(device); });
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned* flags, int* active) {
    return guarded([&] {
        if (flags) *flags = hipDeviceScheduleAuto;
        if (active) *active = 1;
        return require_device(device);
    });
}

hipError_t hipMemAllocHost(void** result, std::size_t bytes) {
    return hipHostMalloc(result, bytes, hipHostMallocDefault);
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* result, std::size_t* pitch, std::size_t width,
                            std::size_t height, unsigned) {
    return hipMallocPitch(result, pitch, width, height);
}

hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute* attributes, void** data,
                                      hipDeviceptr_t pointer) {
    if (!attributes || !data) return answer(hipErrorInvalidValue);
    for (unsigned n = 0; n < count; ++n) {
        const auto result = hipPointerGetAttribute(data[n], attributes[n], pointer);
        if (result != hipSuccess) return result;
    }
    return hipSuccess;
}

/// A stream that may use some of the compute units; the emulator's kernels take what they get.
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, std::uint32_t words,
                                        const std::uint32_t* mask) {
    if (!mask || words == 0) return answer(hipErrorInvalidValue);
    return hipStreamCreate(stream);
}

} // extern "C"
