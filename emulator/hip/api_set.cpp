// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/enqueue.hpp"
#include "hip/error.hpp"
#include "hip/transfer.hpp"
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

fill_operation bytes_fill(void* to, int value, std::size_t count) {
    return plain_fill(to, static_cast<std::uint32_t>(value) & 0xffU, 1, count);
}

fill_operation rows_fill(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
    auto work = bytes_fill(to, value, width);
    work.height = height;
    work.pitch = pitch;
    return work;
}

fill_operation box_fill(const hipPitchedPtr& to, int value, const hipExtent& extent) {
    auto work = rows_fill(to.ptr, to.pitch, value, extent.width, extent.height);
    work.depth = extent.depth;
    work.slice = to.pitch * to.ysize;
    return work;
}

hipError_t now(const fill_operation& work) {
    return device_call([&] { return fill_now(work); });
}

hipError_t later(const fill_operation& work, hipStream_t stream) {
    return device_call([&] { return fill_later(stream, work); });
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipMemset(void* to, int value, std::size_t bytes) {
    return now(bytes_fill(to, value, bytes));
}

hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
    return later(bytes_fill(to, value, bytes), stream);
}

hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) {
    return now(plain_fill(to, value, 1, count));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count,
                            hipStream_t stream) {
    return later(plain_fill(to, value, 1, count), stream);
}

hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count) {
    return now(plain_fill(to, value, 2, count));
}

hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, std::size_t count,
                             hipStream_t stream) {
    return later(plain_fill(to, value, 2, count), stream);
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) {
    return now(plain_fill(to, static_cast<std::uint32_t>(value), 4, count));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count, hipStream_t stream) {
    return later(plain_fill(to, static_cast<std::uint32_t>(value), 4, count), stream);
}

hipError_t hipMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                       std::size_t height) {
    return now(rows_fill(to, pitch, value, width, height));
}

hipError_t hipMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                            std::size_t height, hipStream_t stream) {
    return later(rows_fill(to, pitch, value, width, height), stream);
}

hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
    return now(box_fill(to, value, extent));
}

hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
    return later(box_fill(to, value, extent), stream);
}

} // extern "C"
