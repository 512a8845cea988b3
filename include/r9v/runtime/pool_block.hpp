// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a pool's memory consists of: slabs cut into blocks, each block in the order of one stream.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/runtime/stream_record.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace r9v::inline R9V_ABI {

namespace runtime {

struct slab;
struct stream_entry;

/// Something that must have happened before a free block may be used: an event of the pool's, or
/// the end of a stream that is gone.
struct fence {
    void* event = nullptr;                ///< the pool's own, else null
    std::shared_ptr<stream_record> ended; ///< whose final event
    fence* next = nullptr;
};

/// A stream, other than its own, that a live block was used on.
struct foreign_use {
    stream_entry* stream = nullptr;
    foreign_use* next = nullptr;
};

/// A run of bytes of one slab, free or live. Blocks of a slab form a list in address order.
struct block {
    char* begin = nullptr;
    std::size_t bytes = 0;
    std::size_t requested = 0; ///< while live
    block* before = nullptr;   ///< in the slab
    block* after = nullptr;
    block* previous = nullptr; ///< in a free list
    block* next = nullptr;
    slab* home = nullptr;
    stream_entry* owner = nullptr; ///< in whose order it is
    fence* fences = nullptr;       ///< what must have happened before it may be used again
    foreign_use* uses = nullptr;   ///< while live
    std::uint32_t tag = 0;
    bool live = false;
    bool warm = false; ///< free, and in no list but its owner's few warm ones
};

/// One allocation of the device.
struct slab {
    char* begin = nullptr;
    std::size_t bytes = 0;
    block* first = nullptr;
    std::size_t live_blocks = 0;
};

/// Objects of one type that come and go: made in chunks, recycled, never moved.
template<class T>
class recycled {
public:
    [[nodiscard]] T* make() {
        if (unused_ == nullptr) add_chunk();
        T* const taken = unused_;
        unused_ = taken->next;
        *taken = T{};
        return taken;
    }
    void recycle(T* done) noexcept {
        *done = T{};
        done->next = unused_;
        unused_ = done;
    }

private:
    static constexpr std::size_t chunk = 128;

    void add_chunk() {
        chunks_.push_back(std::make_unique<T[]>(chunk));
        for (std::size_t i = 0; i < chunk; ++i)
            recycle(&chunks_.back()[i]);
    }

    std::vector<std::unique_ptr<T[]>> chunks_;
    T* unused_ = nullptr;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
