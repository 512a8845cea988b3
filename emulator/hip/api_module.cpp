// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Modules, functions' attributes and occupancy.

#include "hip/device.hpp"
#include "hip/error.hpp"
#include "hip/launch.hpp"
#include "hip/module.hpp"
#include "hip/runtime.hpp"
#include "hip/stream.hpp"
#include <algorithm>
#include <fstream>
#include <hip/hip_runtime_api.h>
#include <iterator>
#include <unordered_map>

namespace r9v_emulator::hip {
namespace {

/// Modules that the program loaded itself.
class module_table {
public:
    static module_table& instance() {
        static auto& table = *new module_table;
        return table;
    }

    hipError_t load(hipModule_t* result, const void* image, std::vector<char> kept = {}) {
        auto made = std::make_unique<entry>();
        made->bytes = std::move(kept);
        made->code = std::make_unique<module>(image);
        made->device = selected_device();
        try {
            made->code->load(made->device);
        } catch (const loader::load_error& error) {
            std::fprintf(stderr, "r9v-emulator: %s.\n", error.what());
            return hipErrorNoBinaryForGpu;
        }
        *result = reinterpret_cast<hipModule_t>(made->code.get());
        const std::lock_guard lock(mutex_);
        modules_.emplace(*result, std::move(made));
        return hipSuccess;
    }

    struct entry {
        std::vector<char> bytes; ///< of modules that came from a file
        std::unique_ptr<module> code;
        unsigned device = 0; ///< that was selected when it was loaded
    };
    const entry* find(hipModule_t handle) {
        const std::lock_guard lock(mutex_);
        const auto found = modules_.find(handle);
        return found == modules_.end() ? nullptr : found->second.get();
    }

    bool unload(hipModule_t handle) {
        const std::lock_guard lock(mutex_);
        return modules_.erase(handle) != 0;
    }

private:
    std::mutex mutex_;
    std::unordered_map<hipModule_t, std::unique_ptr<entry>> modules_;
};

hipError_t load_file(hipModule_t* result, const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return hipErrorFileNotFound;
    std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    // Room for the headers of a file that is too short to hold them.
    bytes.resize(bytes.size() + 4096);
    const void* const image = bytes.data();
    return module_table::instance().load(result, image, std::move(bytes));
}

int most_dynamic_lds(const function& target) {
    return static_cast<int>(lds_bytes_per_group - target.image().lds_bytes);
}

hipFuncAttributes attributes_of(const function& target) {
    hipFuncAttributes result = {};
    const auto& image = target.image();
    const auto version = std::atoi(current_device().target + 3) / 100 * 10;
    result.binaryVersion = result.ptxVersion = version;
    result.localSizeBytes = image.scratch_bytes;
    result.maxThreadsPerBlock = static_cast<int>(image.max_threads);
    result.numRegs = static_cast<int>(image.vgprs);
    result.sharedSizeBytes = image.lds_bytes;
    result.maxDynamicSharedSizeBytes = target.dynamic_lds_limit >= 0
                                           ? static_cast<int>(target.dynamic_lds_limit)
                                           : most_dynamic_lds(target);
    return result;
}

hipError_t attribute_of(const function& target, hipFunction_attribute attribute, int& value) {
    const auto all = attributes_of(target);
    switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        value = all.maxThreadsPerBlock;
        break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        value = static_cast<int>(all.sharedSizeBytes);
        break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        value = 0;
        break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        value = static_cast<int>(all.localSizeBytes);
        break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        value = all.numRegs;
        break;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
        value = all.ptxVersion;
        break;
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        value = all.binaryVersion;
        break;
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        value = 0;
        break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        value = all.maxDynamicSharedSizeBytes;
        break;
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        value = 0;
        break;
    default:
        return hipErrorInvalidValue;
    }
    return hipSuccess;
}

hipError_t set_attribute(const void* stub, hipFuncAttribute attribute, int value) {
    auto* const target = stub ? registry::instance().find_function(stub) : nullptr;
    if (!target) return hipErrorInvalidDeviceFunction;
    switch (attribute) {
    case hipFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value > most_dynamic_lds(*target)) return hipErrorInvalidValue;
        target->dynamic_lds_limit = value;
        return hipSuccess;
    case hipFuncAttributePreferredSharedMemoryCarveout:
        return value < -1 || value > 100 ? hipErrorInvalidValue : hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

hipError_t count_resident(int* blocks, const function* target, int threads, std::size_t lds) {
    if (!blocks || threads <= 0) return hipErrorInvalidValue;
    if (!target) return hipErrorInvalidDeviceFunction;
    const bool too_many = static_cast<unsigned>(threads) > target->image().max_threads;
    *blocks = too_many ? 0 : resident_blocks(*target, static_cast<unsigned>(threads), lds);
    return hipSuccess;
}

/// The block size that keeps most threads resident, the largest among equals.
hipError_t best_block(int* grid, int* block, const function* target, std::size_t lds, int limit) {
    if (!grid || !block) return hipErrorInvalidValue;
    if (!target) return hipErrorInvalidDeviceFunction;
    auto largest = static_cast<int>(target->image().max_threads);
    if (limit > 0) largest = std::min(largest, limit);
    int best = 0, best_threads = 0, best_blocks = 0;
    constexpr int wave = wave_size;
    for (int threads = std::max(largest / wave, 1) * wave; threads > 0; threads -= wave) {
        const int candidate = std::min(threads, largest);
        const int blocks = resident_blocks(*target, static_cast<unsigned>(candidate), lds);
        if (blocks * candidate > best_threads) {
            best = candidate;
            best_blocks = blocks;
            best_threads = blocks * candidate;
        }
    }
    *block = best;
    *grid = best_blocks * current_device().work_group_processors;
    return hipSuccess;
}

function* function_of(hipFunction_t handle) {
    return reinterpret_cast<function*>(handle);
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipModuleLoadData(hipModule_t* result, const void* image) {
    return device_call([&] {
        if (!result || !image) return hipErrorInvalidValue;
        return module_table::instance().load(result, image);
    });
}

hipError_t hipModuleLoadDataEx(hipModule_t* result, const void* image, unsigned, hipJitOption*,
                               void**) {
    return hipModuleLoadData(result, image);
}

hipError_t hipModuleLoad(hipModule_t* result, const char* path) {
    return device_call([&] {
        if (!result || !path) return hipErrorInvalidValue;
        return load_file(result, path);
    });
}

hipError_t hipModuleUnload(hipModule_t handle) {
    return device_call([&] {
        stream_table::instance().synchronize_all();
        return module_table::instance().unload(handle) ? hipSuccess : hipErrorInvalidHandle;
    });
}

hipError_t hipModuleGetFunction(hipFunction_t* result, hipModule_t handle, const char* name) {
    return device_call([&] {
        if (!result || !name || !*name) return hipErrorInvalidValue;
        const auto* const owner = module_table::instance().find(handle);
        if (!owner) return hipErrorInvalidHandle;
        auto* const found = owner->code->find_function(name, owner->device);
        if (!found) return hipErrorNotFound;
        *result = reinterpret_cast<hipFunction_t>(found);
        return hipSuccess;
    });
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, std::size_t* size, hipModule_t handle,
                              const char* name) {
    return device_call([&] {
        if ((!address && !size) || !name || !*name) return hipErrorInvalidValue;
        const auto* const owner = module_table::instance().find(handle);
        if (!owner) return hipErrorInvalidHandle;
        const auto* const found = owner->code->find_variable(name, owner->device);
        if (!found) return hipErrorNotFound;
        if (address) *address = pointer_to(found->address);
        if (size) *size = found->size;
        return hipSuccess;
    });
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* result, const void* stub) {
    return device_call([&] {
        if (!result) return hipErrorInvalidValue;
        const auto* const target = registry::instance().find_function(stub);
        if (!target) return hipErrorInvalidDeviceFunction;
        *result = attributes_of(*target);
        return hipSuccess;
    });
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t handle) {
    return device_call([&] {
        if (!value) return hipErrorInvalidValue;
        if (!handle) return hipErrorInvalidHandle;
        return attribute_of(*function_of(handle), attribute, *value);
    });
}

hipError_t hipFuncSetAttribute(const void* stub, hipFuncAttribute attribute, int value) {
    return device_call([&] { return set_attribute(stub, attribute, value); });
}

hipError_t hipFuncSetCacheConfig(const void* stub, hipFuncCache_t) {
    return device_call([&] { return stub ? hipSuccess : hipErrorInvalidDeviceFunction; });
}

hipError_t hipFuncSetSharedMemConfig(const void* stub, hipSharedMemConfig) {
    return device_call([&] { return stub ? hipSuccess : hipErrorInvalidDeviceFunction; });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub, int threads,
                                                        std::size_t lds) {
    return device_call([&] {
        return count_resident(blocks, registry::instance().find_function(stub), threads, lds);
    });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub,
                                                                 int threads, std::size_t lds,
                                                                 unsigned) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, stub, threads, lds);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* stub,
                                             std::size_t lds, int limit) {
    return device_call([&] {
        return best_block(grid, block, registry::instance().find_function(stub), lds, limit);
    });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t handle,
                                                              int threads, std::size_t lds) {
    return device_call([&] { return count_resident(blocks, function_of(handle), threads, lds); });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                       hipFunction_t handle,
                                                                       int threads, std::size_t lds,
                                                                       unsigned) {
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, threads, lds);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t handle,
                                                   std::size_t lds, int limit) {
    return device_call([&] { return best_block(grid, block, function_of(handle), lds, limit); });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block,
                                                            hipFunction_t handle, std::size_t lds,
                                                            int limit, unsigned) {
    return hipModuleOccupancyMaxPotentialBlockSize(grid, block, handle, lds, limit);
}

} // extern "C"
