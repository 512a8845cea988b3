// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// basic_pool: freeing, uses on other streams, memory kept for plans.
#pragma once

#include <r9v/runtime/pool.hpp>

namespace r9v::inline R9V_ABI {

template<class Backend>
memory_status basic_pool<Backend>::do_deallocate(void* pointer, std::size_t bytes,
                                                 const stream_ref* stream) noexcept {
    if (memory_status gone = lost(); !gone) return gone;
    const guard locked{mutex_};
    block* const b = heap_.find_live(pointer);
    if (b == nullptr) return refuse_free(pointer, heap_.classify(pointer), bytes, 0);
    if (bytes != any_size && bytes != b->requested)
        return refuse_free(pointer, memory_fault::wrong_size, bytes, b->requested);
    entry* order_of = b->owner->keeper != nullptr ? b->owner->keeper : b->owner;
    // What a plan keeps returns to the plan, whichever stream frees it.
    if (stream != nullptr && b->owner->kept_of == nullptr) {
        if (memory_status found = find_entry(order_of, *stream); !found) return found;
    }
    return free_block(*b, *order_of);
}

template<class Backend>
memory_status basic_pool<Backend>::free_block(block& b, entry& stream) {
    const runtime::fence* const before = b.fences;
    if (b.uses != nullptr) {
        if (memory_status fenced = fence_uses(b); !fenced) return fenced;
    }
    const bool raw = stream.order == runtime::stream_order::marked && stream.handle != nullptr &&
                     stream.kept_of == nullptr;
    if (raw && !backend_.capturing(stream.handle)) {
        if (const int failed = order_.add_fence(b, stream); failed != Backend::success) {
            order_.drop_fences(b, before);
            return failed_call(failed, "an event of a stream that memory is freed on");
        }
    }
    drop_uses(b);
    --b.owner->references;
    tags_.subtract(b.tag, b.requested);
    heap_.give(&b, stream);
    return {};
}

template<class Backend>
memory_status basic_pool<Backend>::fence_uses(block& b) {
    const runtime::fence* const before = b.fences;
    const auto give_up = [&](memory_status reason) {
        order_.drop_fences(b, before);
        return reason;
    };
    for (const runtime::foreign_use* use = b.uses; use != nullptr; use = use->next) {
        if (order_.alive_and_capturing(*use->stream))
            return give_up(memory_error{
                memory_fault::runtime_failed,
                error{"r9v: memory is freed while a stream that uses it is captured. Free it after "
                      "the capture, or keep it with the plan."},
                figures_locked()});
        if (const int failed = order_.add_fence(b, *use->stream); failed != Backend::success)
            return give_up(failed_call(failed, "an event of a stream that memory was used on"));
    }
    return {};
}

template<class Backend>
void basic_pool<Backend>::drop_uses(block& b) {
    while (b.uses != nullptr) {
        runtime::foreign_use* const done = b.uses;
        b.uses = done->next;
        --done->stream->references;
        uses_.recycle(done);
    }
}

template<class Backend>
memory_status basic_pool<Backend>::do_record_use(void* pointer, const stream_ref& stream) noexcept {
    if (memory_status gone = lost(); !gone) return gone;
    const guard locked{mutex_};
    block* const b = heap_.find_live(pointer);
    if (b == nullptr) return refuse_free(pointer, heap_.classify(pointer), any_size, 0);
    entry* user = nullptr;
    if (memory_status found = find_entry(user, stream); !found) return found;
    if (order::same_order(*user, *b->owner)) return {};
    for (const runtime::foreign_use* use = b->uses; use != nullptr; use = use->next)
        if (use->stream == user) return {};
    runtime::foreign_use* const use = uses_.make();
    *use = {user, b->uses};
    b->uses = use;
    ++user->references;
    return {};
}

template<class Backend>
void basic_pool<Backend>::forget(const stream_ref& stream) noexcept {
    if (!lost()) return;
    const guard locked{mutex_};
    entry* gone = nullptr;
    if (!find_entry(gone, stream) || gone->order != runtime::stream_order::lasting ||
        gone->handle == nullptr || gone->kept_of != nullptr)
        return;
    heap_.cool(*gone);
    const auto fence_off = [&](block& b) {
        if (order_.add_fence(b, *gone) != Backend::success) (void)backend_.device_synchronize();
    };
    while (block* const b = gone->free.any()) {
        gone->free.remove(b);
        fence_off(*b);
        b->owner = &streams_.orphans();
        heap_.insert_joined(b);
    }
    for (const auto& s : heap_.slabs())
        for (block* b = s->first; b != nullptr; b = b->after) {
            if (b->live && b->owner == gone) {
                fence_off(*b);
                b->owner = &streams_.orphans();
                ++b->owner->references;
            }
            for (runtime::foreign_use** use = &b->uses; *use != nullptr;) {
                runtime::foreign_use* const done = *use;
                if (done->stream != gone) {
                    use = &done->next;
                    continue;
                }
                fence_off(*b);
                *use = done->next;
                uses_.recycle(done);
            }
        }
    streams_.remove_if([&](const entry& e) { return &e == gone; });
}

template<class Backend>
memory_status basic_pool<Backend>::try_keep(kept_memory<Backend>& kept,
                                            const stream_ref& stream) noexcept {
    if (memory_status gone = lost(); !gone) return gone;
    const guard locked{mutex_};
    entry* base = nullptr;
    if (memory_status found = find_entry(base, stream); !found) return found;
    if (base->kept_of != nullptr)
        return memory_error{memory_fault::runtime_failed,
                            error{"r9v: memory is kept on this stream already. Close what keep() "
                                  "returned before, or capture on another stream."},
                            figures_locked()};
    entry keeper;
    keeper.handle = base->handle;
    keeper.number = base->number;
    keeper.record = base->record;
    keeper.order = base->order;
    keeper.kept_of = base;
    base->keeper = &streams_.add(std::move(keeper));
    ++base->references;
    kept = kept_memory<Backend>{*this, *base->keeper};
    return {};
}

template<class Backend>
void basic_pool<Backend>::close(entry& keeper) noexcept {
    if (!lost()) return;
    const guard locked{mutex_};
    if (keeper.kept_of->keeper == &keeper) keeper.kept_of->keeper = nullptr;
}

template<class Backend>
void basic_pool<Backend>::give_back(entry& keeper, const stream_ref* last) noexcept {
    if (!lost()) return;
    const guard locked{mutex_};
    if (keeper.kept_of->keeper == &keeper) keeper.kept_of->keeper = nullptr;
    --keeper.kept_of->references;
    heap_.cool(keeper);
    entry* to = keeper.kept_of;
    if (last != nullptr && !find_entry(to, *last)) to = keeper.kept_of;
    const bool raw = to->order == runtime::stream_order::marked && to->handle != nullptr;
    while (block* const b = keeper.free.any()) {
        keeper.free.remove(b);
        b->owner = to;
        if (raw && order_.add_fence(*b, *to) != Backend::success)
            (void)backend_.device_synchronize();
        heap_.insert_joined(b);
    }
    for (const auto& s : heap_.slabs())
        for (block* b = s->first; b != nullptr; b = b->after)
            if (b->owner == &keeper) {
                b->owner = to;
                ++to->references;
            }
    streams_.remove_if([&](const entry& e) { return &e == &keeper; });
}

template<class Backend>
std::size_t basic_pool<Backend>::free_bytes(const entry& keeper) const noexcept {
    if (!lost()) return 0;
    const guard locked{mutex_};
    return keeper.free.bytes() + keeper.warm.bytes();
}

} // namespace r9v::inline R9V_ABI
