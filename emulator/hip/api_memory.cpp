// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Allocation, pinned and managed memory, and questions about pointers.

#include "hip/capture.hpp"
#include "hip/enqueue.hpp"
#include "hip/error.hpp"
#include "hip/pinned.hpp"
#include "hip/runtime.hpp"
#include <cstring>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

constexpr std::size_t pitch_granule = 256;

hipError_t allocate(void** result, std::size_t bytes, const char* label) {
    if (!result) return hipErrorInvalidValue;
    if (const auto refused = refuse_unsafe_call(); refused != hipSuccess) return refused;
    *result = nullptr;
    if (bytes == 0) return hipSuccess;
    const auto address = allocate_on_device(bytes, 256, label);
    if (address == 0) return hipErrorOutOfMemory;
    *result = pointer_to(address);
    return hipSuccess;
}

hipError_t allocate_managed(void** result, std::size_t bytes, unsigned flags) {
    if (!result || bytes == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost)) {
        return hipErrorInvalidValue;
    }
    if (const auto refused = refuse_unsafe_call(); refused != hipSuccess) return refused;
    const auto address = allocate_on_device(bytes, 4096, "hipMallocManaged", true);
    if (address == 0) return hipErrorOutOfMemory;
    // The host writes it unseen, so that nothing can be said about what is written.
    device_memory().mark_written(address, bytes);
    *result = pointer_to(address);
    return hipSuccess;
}

hipError_t allocate_pitched(void** result, std::size_t* pitch, std::size_t width,
                            std::size_t rows) {
    if (!result || !pitch) return hipErrorInvalidValue;
    *pitch = (width + pitch_granule - 1) / pitch_granule * pitch_granule;
    if (rows != 0 && *pitch > SIZE_MAX / rows) return hipErrorOutOfMemory;
    return allocate(result, *pitch * rows, "hipMallocPitch");
}

hipError_t release(void* pointer) {
    if (!pointer) return hipSuccess;
    if (const auto refused = refuse_unsafe_call(); refused != hipSuccess) return refused;
    const auto owner = device_memory().find(address_of(pointer));
    if (!owner || owner->host || owner->begin != address_of(pointer)) return hipErrorInvalidValue;
    stream_table::instance().synchronize_all();
    return device_memory().release(address_of(pointer)) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t attributes_of(hipPointerAttribute_t& result, const void* pointer) {
    const auto address = address_of(pointer);
    const auto owner = device_memory().find(address);
    if (!owner) return hipErrorInvalidValue;
    result = {};
    result.memoryType = owner->host ? hipMemoryTypeHost : hipMemoryTypeDevice;
    result.device = static_cast<int>(owner->device);
    result.devicePointer = pointer_to(address);
    result.hostPointer = owner->host || owner->host_visible ? pointer_to(address) : nullptr;
    result.isManaged = owner->host_visible ? 1 : 0;
    result.allocationFlags = pinned_memory::instance().flags(owner->begin).value_or(0);
    return hipSuccess;
}

template<class Value>
void assign(void* data, Value value) {
    std::memcpy(data, &value, sizeof(value));
}

hipError_t attribute_of(void* data, hipPointer_attribute attribute, const void* pointer) {
    const auto owner = device_memory().find(address_of(pointer));
    if (attribute == HIP_POINTER_ATTRIBUTE_MAPPED) {
        assign(data, owner.has_value());
        return hipSuccess;
    }
    if (!owner) return hipErrorInvalidValue;
    hipPointerAttribute_t all;
    if (const auto result = attributes_of(all, pointer); result != hipSuccess) return result;
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        assign(data, all.memoryType);
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        assign(data, all.devicePointer);
        break;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        assign(data, all.hostPointer);
        break;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        assign(data, owner->begin);
        break;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        assign(data, all.isManaged != 0);
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        assign(data, all.device);
        break;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        assign(data, owner->begin);
        break;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        assign(data, std::size_t{owner->bytes});
        break;
    default:
        return hipErrorNotSupported;
    }
    return hipSuccess;
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipMalloc(void** result, std::size_t bytes) {
    return device_call([&] { return allocate(result, bytes, "hipMalloc"); });
}

hipError_t hipExtMallocWithFlags(void** result, std::size_t bytes, unsigned) {
    return device_call([&] { return allocate(result, bytes, "hipExtMallocWithFlags"); });
}

hipError_t hipMallocPitch(void** result, std::size_t* pitch, std::size_t width,
                          std::size_t height) {
    return device_call([&] { return allocate_pitched(result, pitch, width, height); });
}

hipError_t hipMalloc3D(hipPitchedPtr* result, hipExtent extent) {
    return device_call([&] {
        if (!result) return hipErrorInvalidValue;
        result->xsize = extent.width;
        result->ysize = extent.height;
        return allocate_pitched(&result->ptr, &result->pitch, extent.width,
                                extent.height * extent.depth);
    });
}

hipError_t hipMallocManaged(void** result, std::size_t bytes, unsigned flags) {
    return device_call([&] { return allocate_managed(result, bytes, flags); });
}

hipError_t hipFree(void* pointer) {
    return guarded([&] {
        const auto result = release(pointer);
        return result != hipSuccess ? result : sticky_error();
    });
}

hipError_t hipHostMalloc(void** result, std::size_t bytes, unsigned flags) {
    return device_call([&] {
        if (!result) return hipErrorInvalidValue;
        if (const auto refused = refuse_unsafe_call(); refused != hipSuccess) return refused;
        return pinned_memory::instance().allocate(*result, bytes, flags);
    });
}

hipError_t hipHostAlloc(void** result, std::size_t bytes, unsigned flags) {
    return hipHostMalloc(result, bytes, flags);
}

hipError_t hipMallocHost(void** result, std::size_t bytes) {
    return hipHostMalloc(result, bytes, hipHostMallocDefault);
}

hipError_t hipHostFree(void* pointer) {
    return guarded([&] {
        if (!pointer) return hipSuccess;
        if (const auto refused = refuse_unsafe_call(); refused != hipSuccess) return refused;
        stream_table::instance().synchronize_all();
        return pinned_memory::instance().release(pointer);
    });
}

hipError_t hipFreeHost(void* pointer) {
    return hipHostFree(pointer);
}

hipError_t hipHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return device_call([&] { return pinned_memory::instance().add(pointer, bytes, flags); });
}

hipError_t hipHostUnregister(void* pointer) {
    return guarded([&] {
        stream_table::instance().synchronize_all();
        return pinned_memory::instance().remove(pointer);
    });
}

hipError_t hipHostGetDevicePointer(void** result, void* pointer, unsigned) {
    return guarded([&] {
        if (!result || !pointer) return hipErrorInvalidValue;
        if (!device_memory().host_range(address_of(pointer), 1)) return hipErrorInvalidValue;
        *result = pointer;
        return hipSuccess;
    });
}

hipError_t hipHostGetFlags(unsigned* flags, void* pointer) {
    return guarded([&] {
        if (!flags || !pointer) return hipErrorInvalidValue;
        const auto found = pinned_memory::instance().flags(address_of(pointer));
        if (!found) return hipErrorInvalidValue;
        *flags = *found;
        return hipSuccess;
    });
}

hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
    return guarded([&] {
        if (!free || !total) return hipErrorInvalidValue;
        *total = device_memory().capacity();
        *free = device_memory().capacity() - device_memory().used(selected_device());
        return hipSuccess;
    });
}

hipError_t hipMemPtrGetInfo(void* pointer, std::size_t* bytes) {
    return guarded([&] {
        const auto owner = device_memory().find(address_of(pointer));
        if (!bytes || !owner) return hipErrorInvalidValue;
        *bytes = owner->bytes;
        return hipSuccess;
    });
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* bytes, hipDeviceptr_t pointer) {
    return guarded([&] {
        const auto owner = device_memory().find(address_of(pointer));
        if (!owner) return hipErrorNotFound;
        if (base) *base = pointer_to(owner->begin);
        if (bytes) *bytes = owner->bytes;
        return hipSuccess;
    });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* result, const void* pointer) {
    return guarded(
        [&] { return result && pointer ? attributes_of(*result, pointer) : hipErrorInvalidValue; });
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
    return guarded([&] {
        return data && pointer ? attribute_of(data, attribute, pointer) : hipErrorInvalidValue;
    });
}

hipError_t hipMemPrefetchAsync(const void* pointer, std::size_t bytes, int, hipStream_t stream) {
    return device_call([&] {
        if (!device_memory().accessible(address_of(pointer), bytes)) return hipErrorInvalidValue;
        return enqueue(stream, hipGraphNodeTypeEmpty, {});
    });
}

hipError_t hipMemAdvise(const void* pointer, std::size_t bytes, hipMemoryAdvise, int) {
    return guarded([&] {
        return device_memory().accessible(address_of(pointer), bytes) ? hipSuccess
                                                                      : hipErrorInvalidValue;
    });
}

} // extern "C"
