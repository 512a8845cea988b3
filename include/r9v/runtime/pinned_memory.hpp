// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Pinned host memory for standard containers: what is copied from and to it overlaps with compute.
#pragma once

#include <r9v/runtime/direct_memory.hpp>

#include <memory_resource>

namespace r9v::inline R9V_ABI {

#if R9V_GPU

/// A std::pmr::memory_resource of pinned host memory, page by page from the runtime: put a
/// std::pmr::unsynchronized_pool_resource before it for many small allocations. Throws
/// r9v::memory_error. Wait for copies from and to the memory before it is freed.
class pinned_memory final : public std::pmr::memory_resource {
public:
    /// `std::pmr::vector<float> v{&pinned};`
    pinned_memory() = default;

private:
    /// What the runtimes guarantee: host memory comes in pages.
    static constexpr std::size_t page = 4096;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (!is_power_of_two(alignment) || alignment > page)
            throw_if_failed(memory_status{memory_error{
                memory_fault::bad_alignment,
                error{"r9v: pinned memory cannot be aligned to %zu. Ask for a power of two up to "
                      "%zu.",
                      alignment, page},
                {}}});
        void* pointer = nullptr;
        const platform::result failed = platform::host_allocate(&pointer, bytes == 0 ? 1 : bytes);
        if (failed != platform::success) {
            (void)platform::take_last_error();
            throw_if_failed(memory_status{memory_error{
                memory_fault::out_of_memory,
                error{
                    "r9v: %zu bytes of pinned host memory failed: %s. Ask for less, or free some.",
                    bytes, platform::text(failed)},
                {bytes, 0, 0, 0, 0}}});
        }
        return pointer;
    }
    void do_deallocate(void* pointer, std::size_t, std::size_t) override {
        if (made_.lost() == runtime::loss::none) (void)platform::host_release(pointer);
    }
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other || dynamic_cast<const pinned_memory*>(&other) != nullptr;
    }

    runtime::moment made_{-1};
};

#endif // R9V_GPU

} // namespace r9v::inline R9V_ABI
