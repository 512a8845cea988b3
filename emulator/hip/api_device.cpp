// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/capture.hpp"
#include "hip/device.hpp"
#include "hip/error.hpp"
#include "hip/log.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

constexpr int runtime_version = 50221153; // the headers' HIP 5.2
constexpr const char* bus_id = "0000:03:00.0";
constexpr std::size_t default_heap_bytes = 8 << 20;

hipError_t require_device(int device) {
    return device == 0 ? hipSuccess : hipErrorInvalidDevice;
}

template<class Body>
hipError_t about_device(int device, const void* result, Body body) {
    return guarded([&]() -> hipError_t {
        if (!result) return hipErrorInvalidValue;
        if (const auto valid = require_device(device); valid != hipSuccess) return valid;
        return body();
    });
}

void copy_text(char* to, int size, const char* text) {
    std::snprintf(to, static_cast<std::size_t>(size), "%s", text);
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipInit(unsigned flags) {
    return answer(flags == 0 ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipDriverGetVersion(int* version) {
    if (!version) return answer(hipErrorInvalidValue);
    *version = runtime_version;
    return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int* version) {
    return hipDriverGetVersion(version);
}

hipError_t hipGetDeviceCount(int* count) {
    if (!count) return answer(hipErrorInvalidValue);
    *count = 1;
    return hipSuccess;
}

hipError_t hipGetDevice(int* device) {
    if (!device) return answer(hipErrorInvalidValue);
    *device = 0;
    return hipSuccess;
}

hipError_t hipSetDevice(int device) {
    return answer(require_device(device));
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
    return about_device(ordinal, device, [&] {
        *device = 0;
        return hipSuccess;
    });
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
    return about_device(device, properties, [&] {
        *properties = properties_of(current_device());
        return hipSuccess;
    });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
    return about_device(device, value,
                        [&] { return attribute_of(current_device(), attribute, *value); });
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
    return about_device(device, major && minor ? major : nullptr, [&] {
        const auto properties = properties_of(current_device());
        *major = properties.major;
        *minor = properties.minor;
        return hipSuccess;
    });
}

hipError_t hipDeviceGetName(char* name, int size, hipDevice_t device) {
    return about_device(device, size > 0 ? name : nullptr, [&] {
        copy_text(name, size, current_device().name);
        return hipSuccess;
    });
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
    return about_device(device, uuid, [&] {
        std::strncpy(uuid->bytes, current_device().key, sizeof(uuid->bytes));
        return hipSuccess;
    });
}

hipError_t hipDeviceGetPCIBusId(char* text, int size, int device) {
    return about_device(device, size > 0 ? text : nullptr, [&] {
        copy_text(text, size, bus_id);
        return hipSuccess;
    });
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* text) {
    if (!device || !text) return answer(hipErrorInvalidValue);
    if (std::strcmp(text, bus_id) != 0) return answer(hipErrorInvalidDevice);
    *device = 0;
    return hipSuccess;
}

hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
    return about_device(device, bytes, [&] {
        *bytes = current_device().memory_bytes;
        return hipSuccess;
    });
}

hipError_t hipChooseDevice(int* device, const hipDeviceProp_t* wanted) {
    if (!device || !wanted) return answer(hipErrorInvalidValue);
    *device = 0;
    return hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int* possible, int device, int peer) {
    return about_device(std::max(device, peer), possible, [&] {
        *possible = 0;
        return hipSuccess;
    });
}

hipError_t hipDeviceSynchronize() {
    return device_call([] {
        if (const auto refused = refuse_device_wait(); refused != hipSuccess) return refused;
        stream_table::instance().synchronize_all();
        return sticky_error();
    });
}

hipError_t hipDeviceReset() {
    return guarded([] {
        stream_table::instance().synchronize_all();
        forget_last_error();
        return sticky_error();
    });
}

hipError_t hipSetDeviceFlags(unsigned flags) {
    constexpr unsigned known = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
    return answer((flags & ~known) == 0 ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGetDeviceFlags(unsigned* flags) {
    if (!flags) return answer(hipErrorInvalidValue);
    *flags = hipDeviceScheduleAuto;
    return hipSuccess;
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) {
    return hipSuccess;
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
    if (!config) return answer(hipErrorInvalidValue);
    *config = hipFuncCachePreferNone;
    return hipSuccess;
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) {
    return hipSuccess;
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
    if (!config) return answer(hipErrorInvalidValue);
    *config = hipSharedMemBankSizeFourByte;
    return hipSuccess;
}

hipError_t hipDeviceGetLimit(std::size_t* value, hipLimit_t limit) {
    if (!value) return answer(hipErrorInvalidValue);
    if (limit != hipLimitMallocHeapSize) return answer(hipErrorUnsupportedLimit);
    *value = default_heap_bytes;
    return hipSuccess;
}

hipError_t hipProfilerStart() {
    return hipSuccess;
}
hipError_t hipProfilerStop() {
    return hipSuccess;
}

} // extern "C"
