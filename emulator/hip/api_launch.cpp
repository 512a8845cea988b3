// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/device.hpp"
#include "hip/enqueue.hpp"
#include "hip/error.hpp"
#include "hip/launch.hpp"
#include "hip/module.hpp"
#include <cstdio>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

hipError_t launch_stub(const void* stub, dim3 blocks, dim3 threads, void** arguments,
                       std::size_t dynamic_lds, hipStream_t stream) {
    const auto queue = stream_table::instance().find(stream);
    if (!queue) return hipErrorInvalidHandle;
    auto* const target = registry::instance().find_function(stub, queue->device());
    if (!target) return hipErrorInvalidDeviceFunction;
    const auto valid = check_launch(*target, blocks, threads, dynamic_lds, launch_face::runtime);
    if (valid != hipSuccess) return valid;
    if (!arguments && !target->kernel->metadata.arguments.empty()) return hipErrorInvalidValue;
    return enqueue(stream, hipGraphNodeTypeKernel,
                   kernel_operation{target, stub, blocks, threads,
                                    static_cast<std::uint32_t>(dynamic_lds),
                                    pack_arguments(*target, arguments)});
}

hipError_t launch_cooperative(const void* stub, dim3 blocks, dim3 threads, void** arguments,
                              std::size_t dynamic_lds, hipStream_t stream) {
    auto* const target = registry::instance().find_function(stub);
    if (!target) return hipErrorInvalidDeviceFunction;
    const auto resident =
        std::int64_t{resident_blocks(*target, threads.x * threads.y * threads.z, dynamic_lds)} *
        current_device().work_group_processors;
    if (std::uint64_t{blocks.x} * blocks.y * blocks.z > static_cast<std::uint64_t>(resident)) {
        return hipErrorCooperativeLaunchTooLarge;
    }
    return launch_stub(stub, blocks, threads, arguments, dynamic_lds, stream);
}

hipError_t launch_function(function* target, dim3 blocks, dim3 threads, std::size_t dynamic_lds,
                           hipStream_t stream, void** arguments, void** extra) {
    if (!target) return hipErrorInvalidImage;
    const auto valid = check_launch(*target, blocks, threads, dynamic_lds, launch_face::module);
    if (valid != hipSuccess) return valid;
    if (arguments && extra) return hipErrorInvalidValue;
    kernel_operation work{target, nullptr, blocks, threads, static_cast<std::uint32_t>(dynamic_lds),
                          {}};
    if (extra) {
        const auto packed = pack_buffer(*target, extra, work.arguments);
        if (packed != hipSuccess) return packed;
    } else {
        if (!arguments && !target->kernel->metadata.arguments.empty()) return hipErrorInvalidValue;
        work.arguments = pack_arguments(*target, arguments);
    }
    return enqueue(stream, hipGraphNodeTypeKernel, std::move(work));
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipLaunchKernel(const void* stub, dim3 blocks, dim3 threads, void** arguments,
                           std::size_t dynamic_lds, hipStream_t stream) {
    return device_call(
        [&] { return launch_stub(stub, blocks, threads, arguments, dynamic_lds, stream); });
}

hipError_t hipLaunchKernel_spt(const void* stub, dim3 blocks, dim3 threads, void** arguments,
                               std::size_t dynamic_lds, hipStream_t stream) {
    return hipLaunchKernel(stub, blocks, threads, arguments, dynamic_lds,
                           stream ? stream : hipStreamPerThread);
}

hipError_t hipExtLaunchKernel(const void* stub, dim3 blocks, dim3 threads, void** arguments,
                              std::size_t dynamic_lds, hipStream_t stream, hipEvent_t start,
                              hipEvent_t stop, int) {
    if (start) {
        const auto result = hipEventRecord(start, stream);
        if (result != hipSuccess) return result;
    }
    const auto result = hipLaunchKernel(stub, blocks, threads, arguments, dynamic_lds, stream);
    if (result != hipSuccess || !stop) return result;
    return hipEventRecord(stop, stream);
}

hipError_t hipLaunchCooperativeKernel(const void* stub, dim3 blocks, dim3 threads, void** arguments,
                                      unsigned dynamic_lds, hipStream_t stream) {
    return device_call(
        [&] { return launch_cooperative(stub, blocks, threads, arguments, dynamic_lds, stream); });
}

hipError_t hipModuleLaunchKernel(hipFunction_t kernel, unsigned blocks_x, unsigned blocks_y,
                                 unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                                 unsigned threads_z, unsigned dynamic_lds, hipStream_t stream,
                                 void** arguments, void** extra) {
    return device_call([&] {
        return launch_function(
            reinterpret_cast<function*>(kernel), dim3(blocks_x, blocks_y, blocks_z),
            dim3(threads_x, threads_y, threads_z), dynamic_lds, stream, arguments, extra);
    });
}

const char* hipKernelNameRef(hipFunction_t kernel) {
    return kernel ? reinterpret_cast<function*>(kernel)->image().name.c_str() : nullptr;
}

const char* hipKernelNameRefByPtr(const void* stub, hipStream_t) {
    return registry::instance().name_of(stub);
}

} // extern "C"
