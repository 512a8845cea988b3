// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The face that pools, adaptors and the runtime's own allocator share. An engine's own allocator
// may stand behind it too.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/runtime/memory_error.hpp>
#include <r9v/runtime/stream_record.hpp>

#include <cstddef>
#include <source_location>

namespace r9v::inline R9V_ABI {

/// Every allocation is at least so aligned, and sizes are rounded up to it.
inline constexpr std::size_t memory_alignment = 256;
/// For deallocate: the size is not known.
inline constexpr std::size_t any_size = static_cast<std::size_t>(-1);

/// What is asked of a memory resource.
struct memory_request {
    std::size_t bytes = 0;
    std::size_t alignment = memory_alignment;
    stream_ref stream;
    std::source_location where;
};

/// Device memory in stream order: what is allocated on a stream may be used by work queued on that
/// stream afterwards, and is freed in the order of a stream: work queued there before may still use
/// it. Thread-safe. Each call has a throwing form (r9v::memory_error) and a `try_` form.
class memory_resource {
public:
    memory_resource() = default;
    memory_resource(const memory_resource&) = delete;
    memory_resource& operator=(const memory_resource&) = delete;
    virtual ~memory_resource() = default;

    /// `bytes` bytes, of a power-of-two alignment; null for 0 bytes. Contents undefined.
    [[nodiscard]] void*
    allocate(std::size_t bytes, const stream_ref& stream, std::size_t alignment = memory_alignment,
             const std::source_location& where = std::source_location::current()) {
        void* pointer = nullptr;
        throw_if_failed(try_allocate(pointer, bytes, stream, alignment, where));
        return pointer;
    }
    /// On failure `pointer` is null and the resource is as before.
    memory_status
    try_allocate(void*& pointer, std::size_t bytes, const stream_ref& stream,
                 std::size_t alignment = memory_alignment,
                 const std::source_location& where = std::source_location::current()) noexcept {
        pointer = nullptr;
        if (bytes == 0) return {};
        return do_allocate(pointer, {bytes, alignment, stream, where}).at(where);
    }

    /// Frees in the order of the stream that the memory was allocated on. Null does nothing. Where
    /// `bytes` is given it must be what was asked for. On failure nothing is freed.
    void deallocate(void* pointer, std::size_t bytes = any_size,
                    const std::source_location& where = std::source_location::current()) {
        throw_if_failed(try_deallocate(pointer, bytes, where));
    }
    memory_status
    try_deallocate(void* pointer, std::size_t bytes = any_size,
                   const std::source_location& where = std::source_location::current()) noexcept {
        return pointer == nullptr ? memory_status{}
                                  : do_deallocate(pointer, bytes, nullptr).at(where);
    }
    /// Frees in the order of `stream` instead: all uses must be ordered before this point in it.
    void deallocate(void* pointer, std::size_t bytes, const stream_ref& stream,
                    const std::source_location& where = std::source_location::current()) {
        throw_if_failed(try_deallocate(pointer, bytes, stream, where));
    }
    memory_status
    try_deallocate(void* pointer, std::size_t bytes, const stream_ref& stream,
                   const std::source_location& where = std::source_location::current()) noexcept {
        return pointer == nullptr ? memory_status{}
                                  : do_deallocate(pointer, bytes, &stream).at(where);
    }

    /// Work on `stream` uses the memory too: when it is freed, it is not given out again before
    /// everything queued there by then is done. May be called several times, for several streams.
    void record_use(void* pointer, const stream_ref& stream,
                    const std::source_location& where = std::source_location::current()) {
        throw_if_failed(try_record_use(pointer, stream, where));
    }
    memory_status
    try_record_use(void* pointer, const stream_ref& stream,
                   const std::source_location& where = std::source_location::current()) noexcept {
        return pointer == nullptr ? memory_status{} : do_record_use(pointer, stream).at(where);
    }

    /// How the resource stands; `requested` is 0.
    [[nodiscard]] memory_figures figures() const noexcept { return do_figures(); }

protected:
    virtual memory_status do_allocate(void*& pointer, const memory_request& request) noexcept = 0;
    /// `stream` is null for the stream of the allocation.
    virtual memory_status do_deallocate(void* pointer, std::size_t bytes,
                                        const stream_ref* stream) noexcept = 0;
    virtual memory_status do_record_use(void* pointer, const stream_ref& stream) noexcept = 0;
    [[nodiscard]] virtual memory_figures do_figures() const noexcept = 0;
};

namespace runtime {

inline memory_status bad_alignment(std::size_t alignment) noexcept {
    return memory_error{memory_fault::bad_alignment,
                        error{"r9v: an alignment of %zu is not a power of two. Ask for a power of "
                              "two; every allocation is aligned to %zu anyway.",
                              alignment, memory_alignment},
                        {}};
}

} // namespace runtime

} // namespace r9v::inline R9V_ABI
