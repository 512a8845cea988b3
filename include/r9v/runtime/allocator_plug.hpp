// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A pool for each device behind two plain functions, as frameworks take allocators: PyTorch's
// CUDAPluggableAllocator, or any engine with `allocate(bytes, device, stream)` hooks.
#pragma once

#include <r9v/runtime/gpu_backend.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>

namespace r9v::inline R9V_ABI {

#if R9V_GPU

/// Pools made when a device is first met. Frameworks make their streams once and keep them, so raw
/// handles are taken to outlive the pools; call pool(device).forget(stream) before destroying one.
template<class Lazy = void>
class basic_allocator_plug {
public:
    explicit basic_allocator_plug(pool_options options = {.raw = raw_streams::outlive_pool})
        : options_{std::move(options)} {}

    /// Null where there is no memory; the reason goes to stderr, since such hooks have no other
    /// way.
    [[nodiscard]] void* allocate(std::size_t bytes, int device,
                                 platform::stream_handle stream) noexcept {
        memory_pool* const pool = pool_of(device);
        void* pointer = nullptr;
        if (pool == nullptr) return nullptr;
        const memory_status outcome = pool->try_allocate(pointer, bytes, stream);
        if (!outcome) std::fprintf(stderr, "%s\n", outcome.what());
        return pointer;
    }
    void free(void* pointer, std::size_t bytes, int device,
              platform::stream_handle stream) noexcept {
        memory_pool* const pool = pool_of(device);
        if (pool == nullptr) return;
        const memory_status outcome = pool->try_deallocate(pointer, bytes, stream);
        if (!outcome && outcome.kind() != memory_fault::process_exiting)
            std::fprintf(stderr, "%s\n", outcome.what());
    }
    /// Throws r9v::error for a device that there is not.
    [[nodiscard]] memory_pool& pool(int device) {
        memory_pool* const found = pool_of(device);
        if (found == nullptr)
            throw_if_failed(status{error{"r9v: there is no device %d. Pass 0 to %d.", device,
                                         runtime::most_devices - 1}});
        return *found;
    }

private:
    [[nodiscard]] memory_pool* pool_of(int device) noexcept {
        if (device < 0 || device >= runtime::most_devices) return nullptr;
        auto& slot = pools_[static_cast<std::size_t>(device)];
        if (memory_pool* const known = slot.load(std::memory_order_acquire)) return known;
        const std::lock_guard guard{mutex_};
        if (slot.load(std::memory_order_relaxed) == nullptr) {
            pool_options own = options_;
            own.device = device;
            owned_[static_cast<std::size_t>(device)] =
                std::make_unique<memory_pool>(std::move(own));
            slot.store(owned_[static_cast<std::size_t>(device)].get(), std::memory_order_release);
        }
        return slot.load(std::memory_order_relaxed);
    }

    pool_options options_;
    std::mutex mutex_;
    std::array<std::atomic<memory_pool*>, runtime::most_devices> pools_{};
    std::array<std::unique_ptr<memory_pool>, runtime::most_devices> owned_{};
};

using allocator_plug = basic_allocator_plug<>;

#endif // R9V_GPU

} // namespace r9v::inline R9V_ABI
