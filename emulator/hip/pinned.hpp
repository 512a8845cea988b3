// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Host memory that kernels may reach: allocated pinned, or registered by the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hip/hip_runtime_api.h>
#include <map>
#include <mutex>
#include <optional>

namespace r9v_emulator::hip {

class pinned_memory {
public:
    static pinned_memory& instance();

    hipError_t allocate(void*& result, std::size_t bytes, unsigned flags);
    hipError_t release(void* pointer);
    hipError_t add(void* pointer, std::size_t bytes, unsigned flags);
    hipError_t remove(void* pointer);
    /// Flags of the range that begins at the address.
    std::optional<unsigned> flags(std::uint64_t address) const;

private:
    struct range {
        unsigned flags = 0;
        bool owned = false; ///< made by allocate()
    };
    mutable std::mutex mutex_;
    std::map<std::uint64_t, range> ranges_;
};

} // namespace r9v_emulator::hip
