// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/error.hpp"

#include "hip/log.hpp"
#include <utility>

namespace r9v_emulator::hip {
namespace {

thread_local hipError_t last = hipSuccess;

struct named_error {
    hipError_t error;
    const char* name;
    const char* text;
};

#define R9V_ERROR(name, text) {name, #name, text}
constexpr named_error errors[] = {
    R9V_ERROR(hipSuccess, "no error"),
    R9V_ERROR(hipErrorInvalidValue, "invalid argument"),
    R9V_ERROR(hipErrorOutOfMemory, "out of memory"),
    R9V_ERROR(hipErrorNotInitialized, "initialization error"),
    R9V_ERROR(hipErrorDeinitialized, "driver shutting down"),
    R9V_ERROR(hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    R9V_ERROR(hipErrorProfilerNotInitialized, "profiler is not initialized"),
    R9V_ERROR(hipErrorProfilerAlreadyStarted, "profiler already started"),
    R9V_ERROR(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    R9V_ERROR(hipErrorInvalidConfiguration, "invalid configuration argument"),
    R9V_ERROR(hipErrorInvalidPitchValue, "invalid pitch argument"),
    R9V_ERROR(hipErrorInvalidSymbol, "invalid device symbol"),
    R9V_ERROR(hipErrorInvalidDevicePointer, "invalid device pointer"),
    R9V_ERROR(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    R9V_ERROR(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    R9V_ERROR(hipErrorMissingConfiguration, "__global__ function call is not configured"),
    R9V_ERROR(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    R9V_ERROR(hipErrorInvalidDeviceFunction, "invalid device function"),
    R9V_ERROR(hipErrorNoDevice, "no ROCm-capable device is detected"),
    R9V_ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
    R9V_ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
    R9V_ERROR(hipErrorInvalidContext, "invalid device context"),
    R9V_ERROR(hipErrorContextAlreadyCurrent, "context is already current context"),
    R9V_ERROR(hipErrorMapFailed, "mapping of buffer object failed"),
    R9V_ERROR(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    R9V_ERROR(hipErrorArrayIsMapped, "array is mapped"),
    R9V_ERROR(hipErrorAlreadyMapped, "resource already mapped"),
    R9V_ERROR(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    R9V_ERROR(hipErrorAlreadyAcquired, "resource already acquired"),
    R9V_ERROR(hipErrorNotMapped, "resource not mapped"),
    R9V_ERROR(hipErrorNotMappedAsArray, "resource not mapped as array"),
    R9V_ERROR(hipErrorNotMappedAsPointer, "resource not mapped as pointer"),
    R9V_ERROR(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    R9V_ERROR(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    R9V_ERROR(hipErrorContextAlreadyInUse, "exclusive-thread device already in use"),
    R9V_ERROR(hipErrorPeerAccessUnsupported, "peer access is not supported between two devices"),
    R9V_ERROR(hipErrorInvalidKernelFile, "invalid kernel file"),
    R9V_ERROR(hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    R9V_ERROR(hipErrorInvalidSource, "device kernel image is invalid"),
    R9V_ERROR(hipErrorFileNotFound, "file not found"),
    R9V_ERROR(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    R9V_ERROR(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    R9V_ERROR(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    R9V_ERROR(hipErrorInvalidHandle, "invalid resource handle"),
    R9V_ERROR(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    R9V_ERROR(hipErrorNotFound, "named symbol not found"),
    R9V_ERROR(hipErrorNotReady, "device not ready"),
    R9V_ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    R9V_ERROR(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    R9V_ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    R9V_ERROR(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    R9V_ERROR(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    R9V_ERROR(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    R9V_ERROR(hipErrorContextIsDestroyed, "context is destroyed"),
    R9V_ERROR(hipErrorAssert, "device-side assert triggered"),
    R9V_ERROR(hipErrorHostMemoryAlreadyRegistered,
              "part or all of the requested memory range is already mapped"),
    R9V_ERROR(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered range"),
    R9V_ERROR(hipErrorLaunchFailure, "unspecified launch failure"),
    R9V_ERROR(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    R9V_ERROR(hipErrorNotSupported, "operation not supported"),
    R9V_ERROR(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    R9V_ERROR(hipErrorStreamCaptureInvalidated,
              "operation failed due to a previous error during capture"),
    R9V_ERROR(hipErrorStreamCaptureMerge,
              "operation would result in a merge of separate capture sequences"),
    R9V_ERROR(hipErrorStreamCaptureUnmatched, "capture was not ended in the same stream as began"),
    R9V_ERROR(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    R9V_ERROR(hipErrorStreamCaptureIsolation, "dependency created on uncaptured work"),
    R9V_ERROR(hipErrorStreamCaptureImplicit,
              "operation would make the legacy stream depend on a capturing blocking stream"),
    R9V_ERROR(hipErrorCapturedEvent, "operation not permitted on an event last recorded in a "
                                     "capturing stream"),
    R9V_ERROR(hipErrorStreamCaptureWrongThread,
              "attempt to terminate a thread-local capture sequence from another thread"),
    R9V_ERROR(hipErrorGraphExecUpdateFailure,
              "the graph update was not performed because it included changes which violated "
              "constraints specific to instantiated graph update"),
    R9V_ERROR(hipErrorUnknown, "unknown error"),
    R9V_ERROR(hipErrorRuntimeMemory, "runtime memory call returned error"),
    R9V_ERROR(hipErrorRuntimeOther, "runtime call other than memory returned error"),
};
#undef R9V_ERROR

const named_error* find(hipError_t error) {
    for (const auto& entry : errors) {
        if (entry.error == error) return &entry;
    }
    return nullptr;
}

} // namespace

hipError_t answer(hipError_t error) {
    if (error != hipSuccess && error != hipErrorNotReady) last = error;
    return error;
}

hipError_t last_error(bool clear) {
    const auto broken = sticky_error();
    if (broken != hipSuccess) return broken;
    return clear ? std::exchange(last, hipSuccess) : last;
}

void forget_last_error() {
    last = hipSuccess;
}

hipError_t sticky_error() {
    return launch_log::instance().sticky();
}

} // namespace r9v_emulator::hip

extern "C" {

hipError_t hipGetLastError() {
    return r9v_emulator::hip::last_error(true);
}

hipError_t hipPeekAtLastError() {
    return r9v_emulator::hip::last_error(false);
}

const char* hipGetErrorName(hipError_t error) {
    const auto* const found = r9v_emulator::hip::find(error);
    return found ? found->name : "hipErrorUnknown";
}

const char* hipGetErrorString(hipError_t error) {
    const auto* const found = r9v_emulator::hip::find(error);
    return found ? found->text : "unknown error";
}

} // extern "C"
