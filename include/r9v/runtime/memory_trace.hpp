// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What an application asked of a memory resource, as a list that can be saved, read and run again
// on another resource or with other options.
#pragma once

#include <r9v/runtime/memory_adaptor.hpp>

#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace r9v::inline R9V_ABI {

/// One call. Allocations and streams are numbered from 0 as they are first met.
struct memory_event {
    enum class kind : std::uint8_t { allocate, free, use };
    kind what = kind::allocate;
    std::uint64_t allocation = 0;
    std::uint64_t bytes = 0;     ///< of an allocation
    std::uint64_t alignment = 0; ///< of an allocation
    std::uint32_t stream = 0;
    std::uint64_t nanoseconds = 0; ///< since the log began
};

template<class Lazy = void>
struct basic_memory_trace {
    std::vector<memory_event> events;

    /// The most bytes that were live at once.
    [[nodiscard]] std::size_t peak_live() const {
        std::unordered_map<std::uint64_t, std::uint64_t> live;
        std::size_t now = 0;
        std::size_t most = 0;
        for (const memory_event& e : events) {
            if (e.what == memory_event::kind::allocate) {
                live[e.allocation] = e.bytes;
                now += e.bytes;
                most = now > most ? now : most;
            } else if (e.what == memory_event::kind::free) {
                now -= live[e.allocation];
            }
        }
        return most;
    }

    /// `what,allocation,bytes,alignment,stream,nanoseconds`, one line a call, behind a head line.
    [[nodiscard]] std::string to_csv() const {
        std::string text = "what,allocation,bytes,alignment,stream,nanoseconds\n";
        for (const memory_event& e : events) {
            text += e.what == memory_event::kind::allocate ? "allocate"
                    : e.what == memory_event::kind::free   ? "free"
                                                           : "use";
            for (const std::uint64_t value :
                 {e.allocation, e.bytes, e.alignment, std::uint64_t{e.stream}, e.nanoseconds})
                text += ',' + std::to_string(value);
            text += '\n';
        }
        return text;
    }
    /// Reads what to_csv wrote; the status names the first line that is not understood.
    static status try_from_csv(std::string_view text, basic_memory_trace& trace) {
        trace.events.clear();
        int number = 0;
        while (!text.empty()) {
            const std::size_t length = std::min(text.find('\n'), text.size());
            const std::string line{text.substr(0, length)};
            text.remove_prefix(std::min(length + 1, text.size()));
            if (number++ == 0 || line.empty()) continue;
            char what[16] = {};
            unsigned long long values[5] = {};
            const int read =
                std::sscanf(line.c_str(), "%15[a-z],%llu,%llu,%llu,%llu,%llu", what, &values[0],
                            &values[1], &values[2], &values[3], &values[4]);
            const std::string_view name{what};
            if (read != 6 || (name != "allocate" && name != "free" && name != "use"))
                return error{
                    "r9v: line %d of a memory trace is not understood. Write what to_csv() "
                    "writes: allocate,0,256,256,0,0",
                    number};
            trace.events.push_back({name == "allocate" ? memory_event::kind::allocate
                                    : name == "free"   ? memory_event::kind::free
                                                       : memory_event::kind::use,
                                    values[0], values[1], values[2],
                                    static_cast<std::uint32_t>(values[3]), values[4]});
        }
        return {};
    }
};

using memory_trace = basic_memory_trace<>;

/// Writes down every call that succeeded.
template<class Lazy = void>
class basic_logged_memory final : public memory_adaptor {
public:
    using memory_adaptor::memory_adaptor;

    [[nodiscard]] memory_trace trace() const {
        const std::lock_guard guard{mutex_};
        return trace_;
    }

private:
    memory_status do_allocate(void*& pointer, const memory_request& request) noexcept override {
        memory_status outcome = memory_adaptor::do_allocate(pointer, request);
        if (!outcome) return outcome;
        const std::lock_guard guard{mutex_};
        const std::uint64_t number = next_++;
        notes_.add(pointer, {number, stream_number(request.stream)});
        note_event({memory_event::kind::allocate, number, request.bytes, request.alignment,
                    stream_number(request.stream), 0});
        return outcome;
    }
    memory_status do_deallocate(void* pointer, std::size_t bytes,
                                const stream_ref* stream) noexcept override {
        return notes_.free(
            pointer, [&] { return memory_adaptor::do_deallocate(pointer, bytes, stream); },
            [&](const note& held) {
                const std::lock_guard guard{mutex_};
                note_event({memory_event::kind::free, held.allocation, 0, 0,
                            stream == nullptr ? held.stream : stream_number(*stream), 0});
            });
    }
    memory_status do_record_use(void* pointer, const stream_ref& stream) noexcept override {
        memory_status outcome = memory_adaptor::do_record_use(pointer, stream);
        if (!outcome) return outcome;
        const std::lock_guard guard{mutex_};
        notes_.for_each([&](const void* at, const note& held) {
            if (at == pointer)
                note_event(
                    {memory_event::kind::use, held.allocation, 0, 0, stream_number(stream), 0});
        });
        return outcome;
    }

    struct note {
        std::uint64_t allocation;
        std::uint32_t stream;
    };
    using clock = std::chrono::steady_clock;

    void note_event(memory_event e) {
        e.nanoseconds = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin_).count());
        trace_.events.push_back(e);
    }
    std::uint32_t stream_number(const stream_ref& stream) {
        const std::uint64_t key =
            stream.record() != nullptr
                ? (*stream.record())->number() << 1 | 1
                : static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(stream.handle()));
        return streams_.try_emplace(key, static_cast<std::uint32_t>(streams_.size())).first->second;
    }

    mutable runtime::brief_mutex mutex_;
    memory_trace trace_;
    runtime::live_notes<note> notes_;
    std::unordered_map<std::uint64_t, std::uint32_t> streams_;
    std::uint64_t next_ = 0;
    clock::time_point begin_ = clock::now();
};

using logged_memory = basic_logged_memory<>;

/// What a trace met when it ran again.
struct replayed_trace {
    std::size_t calls = 0;
    std::size_t failures = 0; ///< allocations refused; their frees are left out
    memory_status first_failure;
};

/// Runs a trace on `resource`, its streams on `streams` in turn; frees in the end what it left
/// live.
template<class Lazy = void>
replayed_trace replay(const memory_trace& trace, memory_resource& resource,
                      std::span<const stream_ref> streams) {
    replayed_trace result;
    std::unordered_map<std::uint64_t, void*> live;
    for (const memory_event& e : trace.events) {
        const stream_ref stream =
            streams.empty() ? stream_ref{} : streams[e.stream % streams.size()];
        memory_status outcome;
        if (e.what == memory_event::kind::allocate) {
            void* pointer = nullptr;
            const std::size_t alignment = e.alignment == 0 ? memory_alignment : e.alignment;
            outcome = resource.try_allocate(pointer, e.bytes, stream, alignment);
            if (outcome) live[e.allocation] = pointer;
        } else if (const auto found = live.find(e.allocation); found != live.end()) {
            if (e.what == memory_event::kind::use) {
                outcome = resource.try_record_use(found->second, stream);
            } else {
                outcome = resource.try_deallocate(found->second, any_size, stream);
                live.erase(found);
            }
        }
        ++result.calls;
        if (!outcome && result.failures++ == 0) result.first_failure = outcome;
    }
    for (const auto& [allocation, pointer] : live)
        (void)resource.try_deallocate(pointer);
    return result;
}

} // namespace r9v::inline R9V_ABI
