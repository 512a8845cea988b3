// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Finding leaks: each live allocation with the place in the source that asked for it.
#pragma once

#include <r9v/runtime/memory_adaptor.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace r9v::inline R9V_ABI {

/// One allocation that is not freed yet.
struct live_allocation {
    const void* pointer = nullptr;
    std::size_t bytes = 0;
    std::uint64_t number = 0; ///< of all allocations, in order
    std::source_location where;
};

/// Remembers where everything live was allocated.
template<class Lazy = void>
class basic_tracked_memory final : public memory_adaptor {
public:
    using memory_adaptor::memory_adaptor;

    /// What is live, oldest first.
    [[nodiscard]] std::vector<live_allocation> live() const {
        std::vector<live_allocation> all;
        notes_.for_each([&](const void*, const live_allocation& one) { all.push_back(one); });
        std::sort(all.begin(), all.end(), [](const live_allocation& a, const live_allocation& b) {
            return a.number < b.number;
        });
        return all;
    }
    /// The same as text, one line each; empty where nothing is live.
    [[nodiscard]] std::string report() const {
        std::string text;
        for (const live_allocation& one : live())
            text += std::to_string(one.bytes) + " bytes (allocation " + std::to_string(one.number) +
                    ") from " + one.where.file_name() + ':' + std::to_string(one.where.line()) +
                    " in " + one.where.function_name() + '\n';
        return text;
    }

private:
    memory_status do_allocate(void*& pointer, const memory_request& request) noexcept override {
        memory_status outcome = memory_adaptor::do_allocate(pointer, request);
        if (outcome)
            notes_.add(pointer, {pointer, request.bytes,
                                 next_.fetch_add(1, std::memory_order_relaxed), request.where});
        return outcome;
    }
    memory_status do_deallocate(void* pointer, std::size_t bytes,
                                const stream_ref* stream) noexcept override {
        return notes_.free(
            pointer, [&] { return memory_adaptor::do_deallocate(pointer, bytes, stream); },
            [](const live_allocation&) {});
    }

    std::atomic<std::uint64_t> next_{1};
    runtime::live_notes<live_allocation> notes_;
};
using tracked_memory = basic_tracked_memory<>;

} // namespace r9v::inline R9V_ABI
