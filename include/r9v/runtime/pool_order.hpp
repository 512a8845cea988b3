// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How memory passes from the order of one stream into that of another: by events, made when first
// needed and recycled as soon as the waiting is queued.
#pragma once

#include <r9v/runtime/pool_heap.hpp>

#include <vector>

namespace r9v::inline R9V_ABI {

namespace runtime {

/// Every function is called under the pool's lock and returns a result of the runtime; none waits.
template<class Backend>
class event_order {
public:
    explicit event_order(Backend& backend) : backend_{backend} {}

    /// Puts a fence before `b`: everything on `stream` so far.
    int add_fence(block& b, stream_entry& stream) {
        fence* const made = fences_.make();
        if (const int failed = mark(stream, *made); failed != Backend::success) {
            fences_.recycle(made);
            return failed;
        }
        made->next = b.fences;
        b.fences = made;
        return Backend::success;
    }
    /// Drops the fences that were put before `rest`.
    void drop_fences(block& b, const fence* rest = nullptr) {
        while (b.fences != rest) {
            fence* const done = b.fences;
            b.fences = done->next;
            if (done->event != nullptr) unused_.push_back(done->event);
            fences_.recycle(done);
        }
    }

    /// Work queued on `stream` from now on comes after all use of the free block `b`.
    int order_after(const stream_entry& stream, const block& b) {
        for (const fence* f = b.fences; f != nullptr; f = f->next)
            if (const int failed = wait(stream, *f); failed != Backend::success) return failed;
        if (same_order(stream, *b.owner) || b.owner->order == stream_order::marked)
            return Backend::success;
        fence now;
        if (const int failed = mark(*b.owner, now); failed != Backend::success) return failed;
        const int failed = wait(stream, now);
        if (now.event != nullptr) unused_.push_back(now.event);
        return failed;
    }

    /// Whether blocks of the one are in the order of the other without any event.
    [[nodiscard]] static bool same_order(const stream_entry& a, const stream_entry& b) noexcept {
        return root(a) == root(b);
    }

    /// Blocks of streams that are gone wait for those streams' ends alone.
    void adopt_ended(stream_entry& ended, pool_heap<>& heap, stream_entry& orphans) {
        while (block* const b = ended.free.any()) {
            ended.free.remove(b);
            fence* const end = fences_.make();
            end->ended = ended.record;
            end->next = b->fences;
            b->fences = end;
            b->owner = &orphans;
            heap.insert_joined(b);
        }
    }

    /// Moves what must be waited for before `b` leaves the device to `waits`; false where the
    /// runtime cannot mark its stream.
    bool collect(block& b, std::vector<fence>& waits) {
        bool marked = true;
        if (b.owner->order != stream_order::marked) {
            fence now;
            marked = mark(*b.owner, now) == Backend::success;
            if (marked) waits.push_back(now);
        }
        while (b.fences != nullptr) {
            fence* const f = b.fences;
            b.fences = f->next;
            waits.push_back(*f);
            fences_.recycle(f);
        }
        return marked;
    }
    void recycle(const fence& waited) {
        if (waited.event != nullptr) unused_.push_back(waited.event);
    }

    /// Nothing may be recorded on a captured stream from outside its capture.
    bool alive_and_capturing(stream_entry& stream) {
        bool capturing = false;
        if (stream.record == nullptr) {
            capturing = backend_.capturing(stream.handle);
        } else {
            (void)stream.record->while_alive(
                [&](void* handle) { capturing = backend_.capturing(handle); });
        }
        return capturing;
    }

    [[nodiscard]] std::size_t events_made() const noexcept { return made_; }
    /// Gives all events back to the runtime; fences that name them must be gone.
    void destroy_events() noexcept {
        for (void* const event : unused_)
            (void)backend_.event_destroy(event);
        unused_.clear();
    }

private:
    static const stream_entry* root(const stream_entry& stream) noexcept {
        return stream.kept_of != nullptr ? stream.kept_of : &stream;
    }

    /// Fills `made` with what says that everything on `stream` so far is done.
    int mark(stream_entry& stream, fence& made) {
        int failed = Backend::success;
        const auto record = [&](void* handle) {
            failed = take_event(made.event);
            if (failed != Backend::success) return;
            failed = backend_.event_record(made.event, handle);
            if (failed == Backend::success) return;
            unused_.push_back(made.event);
            made.event = nullptr;
        };
        if (stream.record == nullptr)
            record(stream.handle);
        else if (!stream.record->while_alive(record))
            made.ended = stream.record;
        return failed;
    }

    int wait(const stream_entry& stream, const fence& until) {
        void* const event = until.event != nullptr ? until.event : until.ended->final_event();
        if (event == nullptr) return backend_.device_synchronize();
        return backend_.stream_wait(stream.handle, event);
    }

    int take_event(void*& event) {
        if (unused_.empty()) {
            ++made_;
            return backend_.event_create(&event);
        }
        event = unused_.back();
        unused_.pop_back();
        return Backend::success;
    }

    Backend& backend_;
    recycled<fence> fences_;
    std::vector<void*> unused_;
    std::size_t made_ = 0;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
