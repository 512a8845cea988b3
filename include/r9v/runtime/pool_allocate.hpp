// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// basic_pool: allocation from what it has.
#pragma once

#include <r9v/runtime/pool.hpp>

namespace r9v::inline R9V_ABI {

template<class Backend>
memory_status basic_pool<Backend>::do_allocate(void*& pointer,
                                               const memory_request& request) noexcept {
    if (!is_power_of_two(request.alignment)) return runtime::bad_alignment(request.alignment);
    if (memory_status gone = lost(); !gone) return gone;
    const std::size_t alignment = std::max(request.alignment, memory_alignment);
    const std::size_t limit = pool_options::any_number / 2;
    if (request.bytes > limit || alignment > limit) return shortage(request.bytes, false);
    const std::size_t bytes = align_up(request.bytes, memory_alignment);
    const wanted need{bytes, bytes + alignment - memory_alignment, request.bytes, alignment};

    guard locked{mutex_};
    entry* stream = nullptr;
    if (memory_status found = find_entry(stream, request.stream); !found) return found;
    if (block* const b = stream->warm.take(bytes, alignment)) {
        heap_.make_live(b, need.requested);
        account(*b, *stream);
        pointer = b->begin;
        return {};
    }
    if (block* const b = stream->free.find(need.gap, false); b != nullptr && b->fences == nullptr) {
        stream->free.remove(b);
        make_live(*b, *stream, need);
        pointer = b->begin;
        return {};
    }
    locked.unlock();
    return allocate_slowly(pointer, request.stream, need);
}

template<class Backend>
memory_status basic_pool<Backend>::find_entry(entry*& found, const stream_ref& stream) {
    std::uint64_t number = 0;
    if (stream.record() != nullptr)
        number = (*stream.record())->number() << 1 | 1;
    else if (stream.handle() != nullptr)
        number = backend_.stream_number(stream.handle()) << 1;
    found = streams_.find(stream.handle(), number);
    if (found == nullptr && stream.record() == nullptr && stream.handle() != nullptr)
        found = streams_.find_alive(stream.handle());
    if (found == nullptr) {
        if (memory_status added = add_entry(found, stream, number); !added) return added;
    }
    if (found->keeper != nullptr) found = found->keeper;
    return {};
}

template<class Backend>
memory_status basic_pool<Backend>::add_entry(entry*& found, const stream_ref& stream,
                                             std::uint64_t number) {
    adopt_ended_streams();
    entry fresh;
    int device = device_;
    if (stream.record() != nullptr) {
        fresh.record = *stream.record();
        fresh.record->remember();
        fresh.order = runtime::stream_order::recorded;
        device = fresh.record->device();
    } else if (stream.handle() != nullptr) {
        fresh.order = options_.raw == raw_streams::may_end ? runtime::stream_order::marked
                                                           : runtime::stream_order::lasting;
        if (const int failed = backend_.device_of(stream.handle(), &device);
            failed != Backend::success)
            return failed_call(failed, "the question for a stream's device");
    }
    if (device != device_)
        return memory_error{memory_fault::wrong_device,
                            error{"r9v: the stream belongs to device %d, the pool to device %d. "
                                  "Give the stream's device a pool of its own.",
                                  device, device_},
                            figures_locked()};
    fresh.handle = stream.handle();
    fresh.number = number;
    found = &streams_.add(std::move(fresh));
    return {};
}

/// Streams come and go; their entries must not pile up.
template<class Backend>
void basic_pool<Backend>::adopt_ended_streams() {
    cool_all();
    for (const auto& e : streams_)
        if (e->order == runtime::stream_order::recorded && e->kept_of == nullptr &&
            !e->record->alive())
            order_.adopt_ended(*e, heap_, streams_.orphans());
    streams_.remove_if([](const entry& e) {
        const bool ended = e.order == runtime::stream_order::marked ||
                           (e.order == runtime::stream_order::recorded && !e.record->alive());
        return ended && e.references == 0 && e.free.empty() && e.kept_of == nullptr &&
               e.keeper == nullptr;
    });
}

/// Finds a block for `need` in what the pool has, removes it from its list and orders `stream`
/// behind its uses; null where there is none. Returns what the runtime answered. `capturing` says
/// on return whether the stream is captured, if that was asked.
template<class Backend>
int basic_pool<Backend>::take(block*& taken, entry& stream, const wanted& need, bool& capturing) {
    cool_all();
    if (const int failed = take_own(taken, stream, need, capturing);
        failed != Backend::success || taken != nullptr)
        return failed;
    capturing = backend_.capturing(stream.handle);
    if (!capturing) {
        ++stream.references; // it may own nothing yet
        adopt_ended_streams();
        --stream.references;
        if (const int failed = steal(taken, stream, need);
            failed != Backend::success || taken != nullptr)
            return failed;
    }
    return merge(taken, stream, need, capturing);
}

template<class Backend>
int basic_pool<Backend>::take_own(block*& taken, entry& stream, const wanted& need,
                                  bool& capturing) {
    const auto find = [&](bool unfenced) {
        block* const b = stream.free.find(need.gap, unfenced);
        if (b != nullptr || stream.kept_of == nullptr) return b;
        return stream.kept_of->free.find(need.gap, unfenced);
    };
    block* found = find(false);
    if (found == nullptr) return Backend::success;
    if (found->fences != nullptr) {
        // A captured stream cannot wait for events from outside its capture.
        capturing = backend_.capturing(stream.handle);
        if (capturing) found = find(true);
        if (found == nullptr) return Backend::success;
    }
    if (const int failed = claim(*found, stream); failed != Backend::success) return failed;
    taken = found;
    return Backend::success;
}

template<class Backend>
int basic_pool<Backend>::steal(block*& taken, entry& stream, const wanted& need) {
    block* best = nullptr;
    for (const auto& other : streams_) {
        if (other.get() == &stream || other->kept_of != nullptr) continue;
        block* const b = other->free.find(need.gap, false);
        if (b == nullptr || (best != nullptr && best->bytes <= b->bytes)) continue;
        if (other->order != runtime::stream_order::marked && order_.alive_and_capturing(*other))
            continue;
        best = b;
    }
    if (best == nullptr) return Backend::success;
    if (best->owner == &streams_.orphans()) heap_.leave_rest(best, need.gap);
    if (const int failed = claim(*best, stream); failed != Backend::success) return failed;
    ++steals_;
    taken = best;
    return Backend::success;
}

template<class Backend>
int basic_pool<Backend>::merge(block*& taken, entry& stream, const wanted& need, bool capturing) {
    const auto usable = [&](const block& b) {
        if (order::same_order(*b.owner, stream) &&
            (b.owner->kept_of == nullptr || b.owner == &stream))
            return !(capturing && b.fences != nullptr);
        if (capturing || b.owner->kept_of != nullptr) return false;
        return b.owner->order == runtime::stream_order::marked ||
               !order_.alive_and_capturing(*b.owner);
    };
    const runtime::free_run run = heap_.find_run(need.gap, usable);
    if (run.first == nullptr) return Backend::success;
    for (block* b = run.first;; b = b->after) {
        if (const int failed = order_.order_after(stream, *b); failed != Backend::success)
            return failed;
        if (b == run.last) break;
    }
    for (block* b = run.first;; b = b->after) {
        order_.drop_fences(*b);
        if (b == run.last) break;
    }
    taken = heap_.join_run(run, stream);
    ++merges_;
    return Backend::success;
}

/// Takes a free block out of its list and into the order of `stream`.
template<class Backend>
int basic_pool<Backend>::claim(block& b, entry& stream) {
    if (const int failed = order_.order_after(stream, b); failed != Backend::success) return failed;
    b.owner->free.remove(&b);
    order_.drop_fences(b);
    b.owner = &stream;
    return Backend::success;
}

template<class Backend>
void basic_pool<Backend>::make_live(block& b, entry& stream, const wanted& need) {
    b.owner = &stream;
    heap_.carve(&b, need.bytes, need.requested, need.alignment);
    account(b, stream);
}

template<class Backend>
void basic_pool<Backend>::account(block& b, entry& stream) {
    ++stream.references;
    b.tag = tags_.number_of(memory_tag::innermost());
    tags_.add(b.tag, b.requested);
}

template<class Backend>
void basic_pool<Backend>::cool_all() {
    for (const auto& e : streams_)
        heap_.cool(*e);
}

} // namespace r9v::inline R9V_ABI
