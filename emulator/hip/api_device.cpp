// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/capture.hpp"
#include "hip/device.hpp"
#include "hip/error.hpp"
#include "hip/log.hpp"
#include "hip/runtime.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime_api.h>
#include <string>

namespace r9v_emulator::hip {
namespace {

constexpr int runtime_version = 50221153; // the headers' HIP 5.2
constexpr std::size_t default_heap_bytes = 8 << 20;

hipError_t require_device(int device) {
    const auto count = static_cast<int>(runtime::instance().devices());
    return device >= 0 && device < count ? hipSuccess : hipErrorInvalidDevice;
}

std::string bus_id(int device) {
    char text[16];
    std::snprintf(text, sizeof text, "0000:%02x:00.0", first_bus + device);
    return text;
}

/// Opens or closes a peer's memory to the kernels of the selected device.
hipError_t change_peer_access(int peer, bool open) {
    const auto device = selected_device();
    if (const auto valid = require_device(peer); valid != hipSuccess) return valid;
    if (static_cast<unsigned>(peer) == device) return hipErrorInvalidDevice;
    auto& all = runtime::instance();
    if (all.may_access(device, static_cast<unsigned>(peer)) == open)
        return open ? hipErrorPeerAccessAlreadyEnabled : hipErrorPeerAccessNotEnabled;
    all.set_access(device, static_cast<unsigned>(peer), open);
    return hipSuccess;
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
    *count = static_cast<int>(runtime::instance().devices());
    return hipSuccess;
}

hipError_t hipGetDevice(int* device) {
    if (!device) return answer(hipErrorInvalidValue);
    *device = static_cast<int>(selected_device());
    return hipSuccess;
}

hipError_t hipSetDevice(int device) {
    return guarded([&] {
        const auto valid = require_device(device);
        if (valid == hipSuccess) select_device(static_cast<unsigned>(device));
        return valid;
    });
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
    return about_device(ordinal, device, [&] {
        *device = ordinal;
        return hipSuccess;
    });
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
    return about_device(device, properties, [&] {
        *properties = properties_of(current_device(), device);
        return hipSuccess;
    });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
    return about_device(device, value,
                        [&] { return attribute_of(current_device(), device, attribute, *value); });
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
    return about_device(device, major && minor ? major : nullptr, [&] {
        const auto properties = properties_of(current_device(), device);
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
        std::snprintf(uuid->bytes, sizeof(uuid->bytes), "%s-%d", current_device().key, device);
        return hipSuccess;
    });
}

hipError_t hipDeviceGetPCIBusId(char* text, int size, int device) {
    return about_device(device, size > 0 ? text : nullptr, [&] {
        copy_text(text, size, bus_id(device).c_str());
        return hipSuccess;
    });
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* text) {
    if (!device || !text) return answer(hipErrorInvalidValue);
    const auto count = static_cast<int>(runtime::instance().devices());
    for (int n = 0; n < count; ++n) {
        if (bus_id(n) != text) continue;
        *device = n;
        return hipSuccess;
    }
    return answer(hipErrorInvalidDevice);
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
    return about_device(device, possible, [&] {
        *possible = 0;
        if (const auto valid = require_device(peer); valid != hipSuccess) return valid;
        *possible = device != peer;
        return hipSuccess;
    });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    return guarded([&] { return flags ? hipErrorInvalidValue : change_peer_access(peer, true); });
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
    return guarded([&] { return change_peer_access(peer, false); });
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int device, int peer) {
    return about_device(device, value, [&]() -> hipError_t {
        if (const auto valid = require_device(peer); valid != hipSuccess) return valid;
        if (device == peer) return hipErrorInvalidDevice;
        switch (attribute) {
        case hipDevP2PAttrPerformanceRank:
        case hipDevP2PAttrHipArrayAccessSupported:
            *value = 0;
            return hipSuccess;
        case hipDevP2PAttrAccessSupported:
        case hipDevP2PAttrNativeAtomicSupported:
            *value = 1;
            return hipSuccess;
        }
        return hipErrorInvalidValue;
    });
}

hipError_t hipDeviceSynchronize() {
    return device_call([] {
        if (const auto refused = refuse_device_wait(); refused != hipSuccess) return refused;
        stream_table::instance().synchronize_device(selected_device());
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
