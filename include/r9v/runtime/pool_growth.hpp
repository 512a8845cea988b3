// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// basic_pool: taking memory from the device and giving it back. Neither happens under the lock.
#pragma once

#include <r9v/runtime/pool.hpp>

namespace r9v::inline R9V_ABI {

/// What the pool has did not serve: look again under one lock with everything that may help, grow,
/// trim, ask the user, and then once more.
template<class Backend>
memory_status basic_pool<Backend>::allocate_slowly(void*& pointer, const stream_ref& stream,
                                                   const wanted& need) {
    const device_scope on_device{*this};
    memory_status outcome;
    for (int attempt = 0; attempt < 3; ++attempt) {
        block* taken = nullptr;
        outcome = grow(taken, stream, &need, need.gap);
        if (outcome) {
            pointer = taken->begin;
            return {};
        }
        if (outcome.kind() != memory_fault::out_of_memory) return outcome;
        if (attempt == 0) (void)release_slabs(0, pool_options::any_number);
        if (attempt == 1 && !(options_.on_shortage && options_.on_shortage(need.requested)))
            return outcome;
    }
    return outcome;
}

/// With `need`: a live block for it, from what the pool has by now or from a new slab. Without: a
/// new slab of `bytes` bytes.
template<class Backend>
memory_status basic_pool<Backend>::grow(block*& taken, const stream_ref& stream, const wanted* need,
                                        std::size_t bytes) {
    guard locked{mutex_};
    entry* target = nullptr;
    for (;;) {
        // Looked up each time: while the lock was open the entry may have gone.
        if (memory_status found = find_entry(target, stream); !found) return found;
        bool capturing = false;
        if (need != nullptr) {
            if (const int failed = take(taken, *target, *need, capturing);
                failed != Backend::success)
                return failed_call(failed, "the order between two streams");
            if (taken != nullptr) {
                make_live(*taken, *target, *need);
                return {};
            }
        } else {
            capturing = backend_.capturing(stream.handle());
        }
        if (capturing) return growth_refused(bytes);
        if (!growing_) break;
        grown_.wait(locked);
    }
    growing_ = true;
    ++target->references;
    const std::size_t percent = heap_.reserved() / 100 * options_.growth_percent;
    const std::size_t unit = std::max(options_.growth_minimum, memory_alignment);
    const std::size_t least = align_up(bytes, memory_alignment);
    const std::size_t room = options_.maximum - std::min(options_.maximum, heap_.reserved());
    const bool may_release = need != nullptr && options_.release_before_growth;
    locked.unlock();

    std::size_t size =
        std::max(align_up(least, unit), need == nullptr ? 0 : align_up(percent, unit));
    if (may_release) (void)release_slabs(0, size);
    size = std::min(size, room);
    void* memory = nullptr;
    const int failed = size < least ? Backend::out_of_memory : allocate_slab(memory, size, least);

    locked.lock();
    growing_ = false;
    grown_.notify_all();
    --target->references;
    if (failed == Backend::out_of_memory)
        return shortage(need != nullptr ? need->requested : bytes, size < least);
    if (failed != Backend::success) return failed_call(failed, "allocation of device memory");
    if (growths_++ == 0) runtime::watch_process();
    taken = heap_.add_slab(static_cast<char*>(memory), size,
                           need != nullptr ? *target : streams_.orphans());
    if (need != nullptr)
        make_live(*taken, *target, *need);
    else
        heap_.insert_joined(taken);
    return {};
}

/// Where the device has less than `bytes`, halves are tried down to `least`.
template<class Backend>
int basic_pool<Backend>::allocate_slab(void*& memory, std::size_t& bytes, std::size_t least) {
    for (;;) {
        const int failed = backend_.allocate(&memory, bytes);
        if (failed != Backend::out_of_memory || bytes == least) return failed;
        bytes = std::max(least, align_up(bytes / 2, memory_alignment));
    }
}

template<class Backend>
memory_status basic_pool<Backend>::try_reserve(std::size_t bytes) noexcept {
    if (memory_status gone = lost(); !gone) return gone;
    const device_scope on_device{*this};
    std::size_t missing = 0;
    {
        const guard locked{mutex_};
        missing = bytes - std::min(bytes, heap_.reserved());
    }
    if (missing == 0) return {};
    block* taken = nullptr;
    return grow(taken, stream_ref{}, nullptr, missing);
}

template<class Backend>
std::size_t basic_pool<Backend>::trim(std::size_t keep) noexcept {
    if (!lost()) return 0;
    const device_scope on_device{*this};
    return release_slabs(keep, pool_options::any_number);
}

/// Gives slabs without live blocks back, down to `keep` bytes and until `at_most` bytes were given.
template<class Backend>
std::size_t basic_pool<Backend>::release_slabs(std::size_t keep, std::size_t at_most) {
    struct leaving {
        void* memory;
        std::vector<runtime::fence> waits;
        bool unmarked; ///< some stream could not be marked: wait for all
    };
    std::size_t released = 0;
    std::vector<leaving> gone;
    {
        const guard locked{mutex_};
        // Releasing waits for the device, which a capture would not survive.
        for (const auto& e : streams_)
            if (e->order != runtime::stream_order::marked && order_.alive_and_capturing(*e))
                return 0;
        cool_all();
        std::vector<runtime::slab*> idle;
        std::size_t left = heap_.reserved();
        for (const auto& s : heap_.slabs()) {
            if (s->live_blocks != 0 || left < keep + s->bytes || released >= at_most) continue;
            if (!may_leave(*s)) continue;
            left -= s->bytes;
            released += s->bytes;
            idle.push_back(s.get());
        }
        for (runtime::slab* const s : idle) {
            leaving& out = gone.emplace_back(leaving{s->begin, {}, false});
            for (block* b = s->first; b != nullptr; b = b->after) {
                b->owner->free.remove(b);
                out.unmarked = !order_.collect(*b, out.waits) || out.unmarked;
            }
            heap_.remove_slab(*s);
        }
    }
    for (leaving& out : gone) {
        for (const runtime::fence& f : out.waits)
            out.unmarked = wait_on_host(f) != Backend::success || out.unmarked;
        if (out.unmarked) (void)backend_.device_synchronize();
        (void)backend_.release(out.memory);
    }
    const guard locked{mutex_};
    for (const leaving& out : gone)
        for (const runtime::fence& f : out.waits)
            order_.recycle(f);
    return released;
}

/// Not what plans keep, nor what is in the order of a captured stream.
template<class Backend>
bool basic_pool<Backend>::may_leave(const runtime::slab& s) {
    for (const block* b = s.first; b != nullptr; b = b->after) {
        if (b->owner->kept_of != nullptr) return false;
        if (b->owner->order != runtime::stream_order::marked &&
            order_.alive_and_capturing(*b->owner))
            return false;
    }
    return true;
}

template<class Backend>
int basic_pool<Backend>::wait_on_host(const runtime::fence& f) {
    void* const event = f.event != nullptr ? f.event : f.ended->final_event();
    return event == nullptr ? Backend::success + 1 : backend_.event_synchronize(event);
}

template<class Backend>
basic_pool<Backend>::~basic_pool() {
    if (!lost()) return; // the memory went, or goes, with its process or its device
    const device_scope on_device{*this};
    // Not by release_slabs(): it looks at streams, and raw handles may have ended by now.
    (void)backend_.device_synchronize();
    for (const auto& s : heap_.slabs()) {
        for (block* b = s->first; b != nullptr; b = b->after) {
            for (const runtime::fence* f = b->fences; f != nullptr; f = f->next)
                (void)wait_on_host(*f);
            order_.drop_fences(*b);
        }
        (void)backend_.release(s->begin);
    }
    order_.destroy_events();
}

} // namespace r9v::inline R9V_ABI
