// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// basic_pool: what it says of itself and of what went wrong.
#pragma once

#include <r9v/runtime/pool.hpp>
#include <r9v/runtime/process.hpp>

namespace r9v::inline R9V_ABI {

namespace runtime {

/// The error of an owner that outlived what it owns; success where nothing happened.
inline memory_status lost_since(const moment& made) noexcept {
    switch (made.lost()) {
    case loss::none:
        break;
    case loss::exiting:
        return memory_error{memory_fault::process_exiting,
                            error{"r9v: the process is ending. Free device memory before main() "
                                  "returns, or leave it: it goes with the process."},
                            {}};
    case loss::forked:
        return memory_error{memory_fault::forked,
                            error{"r9v: this process is a fork's child, where the parent's device "
                                  "memory cannot be used. Make what owns memory after the fork."},
                            {}};
    case loss::reset:
        return memory_error{
            memory_fault::device_reset,
            error{"r9v: the device was reset, which freed all its memory. Make what "
                  "owns memory anew."},
            {}};
    }
    return {};
}

inline memory_status no_memory(const memory_figures& now, bool capped) noexcept {
    return memory_error{
        memory_fault::out_of_memory,
        error{"r9v: %s %zu bytes (largest free %zu, live %zu, peak %zu, reserved %zu). Free memory "
              "first, or ask for less.",
              capped ? "the maximum leaves no room for" : "the device has no memory for",
              now.requested, now.largest_free, now.live, now.peak, now.reserved},
        now};
}

inline memory_status refused_free(memory_fault kind, const void* pointer, std::size_t bytes,
                                  std::size_t live, const memory_figures& now) noexcept {
    switch (kind) {
    case memory_fault::double_free:
        return memory_error{
            kind, error{"r9v: %p was freed already. Free each allocation once.", pointer}, now};
    case memory_fault::interior_pointer:
        return memory_error{kind,
                            error{"r9v: %p lies inside an allocation. Pass the pointer that "
                                  "allocate returned.",
                                  pointer},
                            now};
    case memory_fault::wrong_size:
        return memory_error{
            kind,
            error{"r9v: %p is freed as %zu bytes and was allocated as %zu. Pass the "
                  "size that was asked for, or none.",
                  pointer, bytes, live},
            now};
    default:
        return memory_error{
            memory_fault::foreign_pointer,
            error{"r9v: %p did not come from this memory resource. Free it where it "
                  "was allocated.",
                  pointer},
            now};
    }
}

inline memory_status call_failed(const char* what, const char* reason,
                                 const memory_figures& now) noexcept {
    return memory_error{memory_fault::runtime_failed,
                        error{"r9v: %s failed: %s. See the GPU runtime's log.", what, reason}, now};
}

} // namespace runtime

template<class Backend>
memory_status basic_pool<Backend>::lost() const noexcept {
    if (made_.lost() == runtime::loss::none) return {};
    return runtime::lost_since(made_);
}

template<class Backend>
memory_figures basic_pool<Backend>::figures_locked() const noexcept {
    return {0, heap_.largest_free(), tags_.all().current_bytes, tags_.all().peak_bytes,
            heap_.reserved()};
}

template<class Backend>
memory_figures basic_pool<Backend>::do_figures() const noexcept {
    if (!lost()) return {};
    const guard locked{mutex_};
    return figures_locked();
}

template<class Backend>
memory_status basic_pool<Backend>::shortage(std::size_t bytes, bool capped) const noexcept {
    memory_figures now = figures_locked();
    now.requested = bytes;
    return runtime::no_memory(now, capped);
}

template<class Backend>
memory_status basic_pool<Backend>::growth_refused(std::size_t bytes) const noexcept {
    memory_figures now = figures_locked();
    now.requested = bytes;
    return memory_error{
        memory_fault::growth_during_capture,
        error{"r9v: a stream that is captured needs %zu bytes more than the pool has in its order "
              "(largest free %zu). Run the same allocations once before the capture, or reserve().",
              bytes, now.largest_free},
        now};
}

template<class Backend>
memory_status basic_pool<Backend>::refuse_free(const void* pointer, memory_fault kind,
                                               std::size_t bytes, std::size_t live) const noexcept {
    return runtime::refused_free(kind, pointer, bytes, live, figures_locked());
}

template<class Backend>
memory_status basic_pool<Backend>::failed_call(int code, const char* what) const noexcept {
    return runtime::call_failed(what, Backend::text(code), figures_locked());
}

template<class Backend>
pool_statistics basic_pool<Backend>::statistics() const {
    const guard locked{mutex_};
    return statistics_locked();
}

template<class Backend>
pool_statistics basic_pool<Backend>::statistics_locked() const {
    pool_statistics now;
    now.all = tags_.all();
    now.tags = tags_.by_tag();
    now.reserved_bytes = heap_.reserved();
    now.peak_reserved_bytes = heap_.peak_reserved();
    for (const auto& e : streams_)
        now.free_bytes += e->free.bytes() + e->warm.bytes();
    now.largest_free_bytes = heap_.largest_free();
    now.slabs = heap_.slabs().size();
    now.streams = streams_.size();
    now.growths = growths_;
    now.steals = steals_;
    now.merges = merges_;
    now.events = order_.events_made();
    return now;
}

template<class Backend>
void basic_pool<Backend>::reset_peaks() noexcept {
    const guard locked{mutex_};
    tags_.reset_peaks();
    heap_.reset_peak();
}

template<class Backend>
pool_snapshot basic_pool<Backend>::snapshot() const {
    const guard locked{mutex_};
    pool_snapshot picture;
    picture.device = device_;
    picture.statistics = statistics_locked();
    for (const auto& s : heap_.slabs()) {
        pool_snapshot::slab_state state;
        state.address = reinterpret_cast<std::uintptr_t>(s->begin);
        state.bytes = s->bytes;
        for (const block* b = s->first; b != nullptr; b = b->after) {
            pool_snapshot::block_state part;
            part.offset = static_cast<std::size_t>(b->begin - s->begin);
            part.bytes = b->bytes;
            part.requested = b->requested;
            part.live = b->live;
            part.fenced = b->fences != nullptr;
            part.stream = b->owner->number;
            if (part.stream == 0) part.stream = reinterpret_cast<std::uintptr_t>(b->owner->handle);
            if (b->live) part.tag = tags_.path_of(b->tag);
            state.blocks.push_back(std::move(part));
        }
        picture.slabs.push_back(std::move(state));
    }
    return picture;
}

} // namespace r9v::inline R9V_ABI
