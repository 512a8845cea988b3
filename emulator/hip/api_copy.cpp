// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/enqueue.hpp"
#include "hip/error.hpp"
#include "hip/module.hpp"
#include "hip/runtime.hpp"
#include "hip/symbol.hpp"
#include "hip/transfer.hpp"
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {

hipError_t symbol_range(void*& result, const void* symbol, std::size_t bytes, std::size_t offset) {
    const auto* const variable = symbol ? registry::instance().find_variable(symbol) : nullptr;
    if (!variable) return hipErrorInvalidSymbol;
    if (offset > variable->size || bytes > variable->size - offset) return hipErrorInvalidValue;
    result = pointer_to(variable->address + offset);
    return hipSuccess;
}

namespace {

copy_operation rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, hipMemcpyKind kind) {
    copy_operation work;
    work.to = to;
    work.from = from;
    work.width = width;
    work.height = height;
    work.to_pitch = to_pitch;
    work.from_pitch = from_pitch;
    work.kind = kind;
    return work;
}

/// A driver-style description names each side's kind and pointer apart.
hipError_t from_description(copy_operation& work, const hip_Memcpy2D* source) {
    if (!source || source->srcArray || source->dstArray) return hipErrorInvalidValue;
    const auto* from = static_cast<const std::byte*>(
        source->srcMemoryType == hipMemoryTypeHost ? source->srcHost : source->srcDevice);
    auto* to = static_cast<std::byte*>(
        source->dstMemoryType == hipMemoryTypeHost ? source->dstHost : source->dstDevice);
    if (!from || !to) return hipErrorInvalidValue;
    from += source->srcY * source->srcPitch + source->srcXInBytes;
    to += source->dstY * source->dstPitch + source->dstXInBytes;
    work = rows(to, source->dstPitch, from, source->srcPitch, source->WidthInBytes, source->Height,
                hipMemcpyDefault);
    return hipSuccess;
}

hipError_t to_symbol(copy_operation& work, const void* symbol, const void* from, std::size_t bytes,
                     std::size_t offset, hipMemcpyKind kind) {
    void* to = nullptr;
    const auto result = symbol_range(to, symbol, bytes, offset);
    work = plain_copy(to, from, bytes, kind);
    return result;
}

hipError_t from_symbol(copy_operation& work, void* to, const void* symbol, std::size_t bytes,
                       std::size_t offset, hipMemcpyKind kind) {
    void* from = nullptr;
    const auto result = symbol_range(from, symbol, bytes, offset);
    work = plain_copy(to, from, bytes, kind);
    return result;
}

/// Memory of all devices has one address space, so a copy needs no more than the addresses; the
/// devices named must be the ones that hold them.
bool on_device(const void* pointer, int device) {
    const auto owner = device_memory().find(address_of(pointer));
    return owner && !owner->host && static_cast<int>(owner->device) == device;
}

hipError_t copy_synchronously(hipStream_t stream, copy_operation work) {
    const auto result = enqueue_copy(stream, hipGraphNodeTypeMemcpy, std::move(work));
    return result != hipSuccess ? result : hipStreamSynchronize(stream);
}

} // namespace

hipError_t box(copy_operation& work, const hipMemcpy3DParms* source) {
    if (!source || source->srcArray || source->dstArray) return hipErrorInvalidValue;
    const auto& from = source->srcPtr;
    const auto& to = source->dstPtr;
    const auto corner = [](const hipPitchedPtr& side, const hipPos& at) {
        return static_cast<std::byte*>(side.ptr) + (at.z * side.ysize + at.y) * side.pitch + at.x;
    };
    if (!from.ptr || !to.ptr) return hipErrorInvalidValue;
    work = rows(corner(to, source->dstPos), to.pitch, corner(from, source->srcPos), from.pitch,
                source->extent.width, source->extent.height, source->kind);
    work.depth = source->extent.depth;
    work.to_slice = to.pitch * to.ysize;
    work.from_slice = from.pitch * from.ysize;
    return hipSuccess;
}

} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return device_call([&] { return copy_now(plain_copy(to, from, bytes, kind)); });
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
    return device_call([&] {
        return enqueue_copy(stream, hipGraphNodeTypeMemcpy1D, plain_copy(to, from, bytes, kind));
    });
}

hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
    return device_call(
        [&] { return copy_synchronously(stream, plain_copy(to, from, bytes, kind)); });
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, std::size_t bytes) {
    return hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
}

hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
    return hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes) {
    return hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, std::size_t bytes,
                              hipStream_t stream) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream);
}

hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t bytes,
                              hipStream_t stream) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, stream);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes,
                              hipStream_t stream) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                         std::size_t bytes) {
    const auto result = hipMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
    return result != hipSuccess ? result : hipStreamSynchronize(nullptr);
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              std::size_t bytes, hipStream_t stream) {
    const auto count = static_cast<int>(runtime::instance().devices());
    if (to_device < 0 || to_device >= count || from_device < 0 || from_device >= count)
        return answer(hipErrorInvalidDevice);
    if (!on_device(to, to_device) || !on_device(from, from_device))
        return answer(hipErrorInvalidValue);
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}

hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, hipMemcpyKind kind) {
    return device_call(
        [&] { return copy_now(rows(to, to_pitch, from, from_pitch, width, height, kind)); });
}

hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                            std::size_t from_pitch, std::size_t width, std::size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
    return device_call([&] {
        return enqueue_copy(stream, hipGraphNodeTypeMemcpy,
                            rows(to, to_pitch, from, from_pitch, width, height, kind));
    });
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* description) {
    return device_call([&] {
        copy_operation work;
        const auto valid = from_description(work, description);
        return valid != hipSuccess ? valid : copy_now(work);
    });
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* description, hipStream_t stream) {
    return device_call([&] {
        copy_operation work;
        const auto valid = from_description(work, description);
        return valid != hipSuccess ? valid : enqueue_copy(stream, hipGraphNodeTypeMemcpy, work);
    });
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* description) {
    return device_call([&] {
        copy_operation work;
        const auto valid = box(work, description);
        return valid != hipSuccess ? valid : copy_now(work);
    });
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* description, hipStream_t stream) {
    return device_call([&] {
        copy_operation work;
        const auto valid = box(work, description);
        return valid != hipSuccess ? valid : enqueue_copy(stream, hipGraphNodeTypeMemcpy, work);
    });
}

hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                             std::size_t offset, hipMemcpyKind kind) {
    return device_call([&] {
        copy_operation work;
        const auto valid = to_symbol(work, symbol, from, bytes, offset, kind);
        return valid != hipSuccess ? valid : copy_now(work);
    });
}

hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                  std::size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    return device_call([&] {
        copy_operation work;
        const auto valid = to_symbol(work, symbol, from, bytes, offset, kind);
        return valid != hipSuccess ? valid
                                   : enqueue_copy(stream, hipGraphNodeTypeMemcpyToSymbol, work);
    });
}

hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                               hipMemcpyKind kind) {
    return device_call([&] {
        copy_operation work;
        const auto valid = from_symbol(work, to, symbol, bytes, offset, kind);
        return valid != hipSuccess ? valid : copy_now(work);
    });
}

hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                    std::size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    return device_call([&] {
        copy_operation work;
        const auto valid = from_symbol(work, to, symbol, bytes, offset, kind);
        return valid != hipSuccess ? valid
                                   : enqueue_copy(stream, hipGraphNodeTypeMemcpyFromSymbol, work);
    });
}

hipError_t hipGetSymbolAddress(void** result, const void* symbol) {
    return device_call(
        [&] { return result ? symbol_range(*result, symbol, 0, 0) : hipErrorInvalidValue; });
}

hipError_t hipGetSymbolSize(std::size_t* result, const void* symbol) {
    return device_call([&] {
        const auto* const variable = symbol ? registry::instance().find_variable(symbol) : nullptr;
        if (!result) return hipErrorInvalidValue;
        if (!variable) return hipErrorInvalidSymbol;
        *result = variable->size;
        return hipSuccess;
    });
}

} // extern "C"
