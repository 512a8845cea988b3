// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Stream-ordered allocation. Memory is taken at once and given back when the stream gets there.

#include "hip/enqueue.hpp"
#include "hip/error.hpp"
#include "hip/runtime.hpp"
#include <cstring>
#include <hip/hip_runtime_api.h>
#include <set>

/// What hipMemPool_t points to. Pools have attributes; all draw on the device's memory.
struct ihipMemPoolHandle_t {
    std::uint64_t release_threshold = 0;
};

namespace r9v_emulator::hip {
namespace {

class pool_table {
public:
    static pool_table& instance() {
        static auto& table = *new pool_table;
        return table;
    }

    hipMemPool_t standard() { return &standard_; }

    hipMemPool_t create() {
        const std::lock_guard lock(mutex_);
        return *pools_.insert(new ihipMemPoolHandle_t).first;
    }

    bool holds(hipMemPool_t pool) {
        const std::lock_guard lock(mutex_);
        return pool == &standard_ || pools_.contains(pool);
    }

    bool destroy(hipMemPool_t pool) {
        const std::lock_guard lock(mutex_);
        if (pools_.erase(pool) == 0) return false;
        delete pool;
        return true;
    }

private:
    std::mutex mutex_;
    ihipMemPoolHandle_t standard_;
    std::set<hipMemPool_t> pools_;
};

hipError_t allocate(void** result, std::size_t bytes, hipStream_t handle) {
    if (!result) return hipErrorInvalidValue;
    *result = nullptr;
    const auto target = stream_table::instance().find(handle);
    if (!target) return hipErrorInvalidHandle;
    if (const auto refused = refuse_while_capturing(*target); refused != hipSuccess) {
        return refused;
    }
    if (bytes == 0) return hipSuccess;
    const auto address =
        device_memory().allocate(bytes, 256, "hipMallocAsync", false, target->device());
    if (address == 0) return hipErrorOutOfMemory;
    *result = pointer_to(address);
    return hipSuccess;
}

hipError_t release(void* pointer, hipStream_t stream) {
    if (!pointer) return hipErrorInvalidValue;
    const auto owner = device_memory().find(address_of(pointer));
    if (!owner || owner->host || owner->begin != address_of(pointer)) return hipErrorInvalidValue;
    return enqueue(stream, hipGraphNodeTypeEmpty, release_operation{pointer});
}

hipError_t pool_attribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    const auto assign = [&](auto number) {
        std::memcpy(value, &number, sizeof(number));
    };
    switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
        assign(0);
        break;
    case hipMemPoolAttrReleaseThreshold:
        assign(pool->release_threshold);
        break;
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemCurrent:
    case hipMemPoolAttrUsedMemHigh:
        assign(device_memory().used(selected_device()));
        break;
    default:
        return hipErrorInvalidValue;
    }
    return hipSuccess;
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipMallocAsync(void** result, std::size_t bytes, hipStream_t stream) {
    return device_call([&] { return allocate(result, bytes, stream); });
}

hipError_t hipMallocFromPoolAsync(void** result, std::size_t bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
    return device_call([&] {
        if (!pool_table::instance().holds(pool)) return hipErrorInvalidValue;
        return allocate(result, bytes, stream);
    });
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
    return device_call([&] { return release(pointer, stream); });
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
    if (!pool) return answer(hipErrorInvalidValue);
    if (device < 0 || device >= static_cast<int>(runtime::instance().devices()))
        return answer(hipErrorInvalidDevice);
    *pool = pool_table::instance().standard();
    return hipSuccess;
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
    return hipDeviceGetDefaultMemPool(pool, device);
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
    hipMemPool_t standard = nullptr;
    const auto valid = hipDeviceGetDefaultMemPool(&standard, device);
    if (valid != hipSuccess) return valid;
    return answer(pool_table::instance().holds(pool) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
    return guarded([&] {
        if (!pool || !properties) return hipErrorInvalidValue;
        *pool = pool_table::instance().create();
        return hipSuccess;
    });
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
    return guarded(
        [&] { return pool_table::instance().destroy(pool) ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t) {
    return answer(pool_table::instance().holds(pool) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    if (!value || !pool_table::instance().holds(pool)) return answer(hipErrorInvalidValue);
    if (attribute == hipMemPoolAttrReleaseThreshold) {
        std::memcpy(&pool->release_threshold, value, sizeof(pool->release_threshold));
    }
    return hipSuccess;
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    if (!value || !pool_table::instance().holds(pool)) return answer(hipErrorInvalidValue);
    return answer(pool_attribute(pool, attribute, value));
}

} // extern "C"
