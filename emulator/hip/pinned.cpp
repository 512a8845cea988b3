// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/pinned.hpp"

#include "hip/runtime.hpp"
#include <cstdlib>

namespace r9v_emulator::hip {
namespace {

constexpr std::size_t page = 4096;
constexpr unsigned known_allocation_flags = hipHostMallocPortable | hipHostMallocMapped |
                                            hipHostMallocWriteCombined | hipHostMallocNumaUser |
                                            hipHostMallocCoherent | hipHostMallocNonCoherent;
constexpr unsigned known_registration_flags = hipHostRegisterPortable | hipHostRegisterMapped |
                                              hipHostRegisterIoMemory |
                                              hipExtHostRegisterCoarseGrained;

} // namespace

pinned_memory& pinned_memory::instance() {
    static auto& pinned = *new pinned_memory;
    return pinned;
}

hipError_t pinned_memory::allocate(void*& result, std::size_t bytes, unsigned flags) {
    result = nullptr;
    if ((flags & ~known_allocation_flags) != 0) return hipErrorInvalidValue;
    if (bytes == 0) return hipSuccess;
    if (bytes > SIZE_MAX - page) return hipErrorOutOfMemory;
    void* const pointer = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!pointer) return hipErrorOutOfMemory;
    if (!device_memory().register_host(pointer, bytes, "hipHostMalloc")) {
        std::free(pointer);
        return hipErrorOutOfMemory;
    }
    const std::lock_guard lock(mutex_);
    ranges_[address_of(pointer)] = {flags, true};
    result = pointer;
    return hipSuccess;
}

hipError_t pinned_memory::release(void* pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(address_of(pointer));
    if (found == ranges_.end() || !found->second.owned) return hipErrorInvalidValue;
    ranges_.erase(found);
    device_memory().unregister_host(pointer);
    std::free(pointer);
    return hipSuccess;
}

hipError_t pinned_memory::add(void* pointer, std::size_t bytes, unsigned flags) {
    if (!pointer || bytes == 0 || (flags & ~known_registration_flags) != 0) {
        return hipErrorInvalidValue;
    }
    if (device_memory().in_arena(address_of(pointer))) return hipErrorInvalidValue;
    const std::lock_guard lock(mutex_);
    if (!device_memory().register_host(pointer, bytes, "hipHostRegister")) {
        return hipErrorHostMemoryAlreadyRegistered;
    }
    ranges_[address_of(pointer)] = {flags, false};
    return hipSuccess;
}

hipError_t pinned_memory::remove(void* pointer) {
    if (!pointer) return hipErrorInvalidValue;
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(address_of(pointer));
    if (found == ranges_.end() || found->second.owned) return hipErrorHostMemoryNotRegistered;
    ranges_.erase(found);
    device_memory().unregister_host(pointer);
    return hipSuccess;
}

std::optional<unsigned> pinned_memory::flags(std::uint64_t address) const {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(address);
    if (found == ranges_.end()) return std::nullopt;
    return found->second.flags;
}

} // namespace r9v_emulator::hip
