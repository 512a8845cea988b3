// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Slabs and their blocks: cutting, joining, searching. Knows nothing of events or of the runtime.
#pragma once

#include <r9v/runtime/memory_error.hpp>
#include <r9v/runtime/pool_map.hpp>
#include <r9v/runtime/pool_streams.hpp>

#include <algorithm>

namespace r9v::inline R9V_ABI {

namespace runtime {

/// Neighbouring free blocks, `first` to `last`.
struct free_run {
    block* first = nullptr;
    block* last = nullptr;
    std::size_t bytes = 0;
};

template<class Lazy = void>
class pool_heap {
public:
    /// A free block of a whole new slab, in no list yet.
    [[nodiscard]] block* add_slab(char* begin, std::size_t bytes, stream_entry& owner) {
        slabs_.push_back(std::make_unique<slab>());
        slab& home = *slabs_.back();
        block* const whole = blocks_.make();
        home = {begin, bytes, whole, 0};
        whole->begin = begin;
        whole->bytes = bytes;
        whole->home = &home;
        whole->owner = &owner;
        reserved_ += bytes;
        peak_reserved_ = std::max(peak_reserved_, reserved_);
        return whole;
    }

    /// Forgets a slab whose blocks are free and in no list.
    void remove_slab(slab& gone) noexcept {
        for (block* b = gone.first; b != nullptr;) {
            block* const after = b->after;
            blocks_.recycle(b);
            b = after;
        }
        reserved_ -= gone.bytes;
        std::erase_if(slabs_, [&](const auto& s) { return s.get() == &gone; });
    }

    /// Cuts `b`, free and in no list, down to `bytes` at an aligned address, and makes it live.
    /// What is left and right of it becomes free. Small blocks are cut from the low end and large
    /// ones from the high end, so that small ones that live long do not split large gaps.
    void carve(block* b, std::size_t bytes, std::size_t requested, std::size_t alignment) {
        const auto low = reinterpret_cast<std::uintptr_t>(b->begin);
        std::uintptr_t at = align_up(low, alignment);
        if (bytes >= large) at = (low + b->bytes - bytes) / alignment * alignment;
        if (at > low) insert(split(b, at - low, false));
        if (b->bytes > bytes) insert(split(b, bytes, true));
        make_live(b, requested);
    }
    void make_live(block* b, std::size_t requested) {
        b->live = true;
        b->requested = requested;
        ++b->home->live_blocks;
        live_.insert(b);
    }

    /// Leaves all but about `bytes` bytes of a free block in its owner's lists, unless there are
    /// fences: each is for one block.
    void leave_rest(block* b, std::size_t bytes) {
        const std::size_t wanted = bytes;
        if (b->fences != nullptr || b->bytes <= wanted) return;
        b->owner->free.remove(b);
        // What carve() would not cut off.
        insert(bytes < large ? split(b, wanted, true) : split(b, b->bytes - wanted, false));
        insert(b);
    }

    /// Makes a live block free, in the order of `owner`: warm, or joined with its neighbours.
    void give(block* b, stream_entry& owner) {
        live_.remove(b);
        b->live = false;
        b->requested = 0;
        b->owner = &owner;
        --b->home->live_blocks;
        if (block* const leaving = owner.warm.put(b)) insert_joined(leaving);
    }
    /// Puts warm blocks into the lists.
    void cool(stream_entry& owner) {
        while (block* const b = owner.warm.take_any())
            insert_joined(b);
    }

    /// Puts a free block into its owner's lists, joined with neighbours of the same order.
    void insert_joined(block* b) {
        if (may_join(b, b->after)) {
            b->after->owner->free.remove(b->after);
            join(b);
        }
        if (may_join(b, b->before)) {
            b = b->before;
            b->owner->free.remove(b);
            join(b);
        }
        insert(b);
    }

    /// The shortest run of free neighbours of at least `bytes` bytes that are all `usable`.
    template<class Usable>
    [[nodiscard]] free_run find_run(std::size_t bytes, Usable usable) const {
        free_run best;
        for (const auto& s : slabs_) {
            free_run run;
            for (block* b = s->first; b != nullptr; b = b->after) {
                if (b->live || !usable(*b)) {
                    run = {};
                    continue;
                }
                if (run.first == nullptr) run.first = b;
                run.bytes += b->bytes;
                run.last = b;
                while (run.bytes - run.first->bytes >= bytes) {
                    run.bytes -= run.first->bytes;
                    run.first = run.first->after;
                }
                if (run.bytes >= bytes && (best.first == nullptr || run.bytes < best.bytes))
                    best = run;
            }
        }
        return best;
    }

    /// Makes one block, in no list, of a run. Its fences must be gone.
    [[nodiscard]] block* join_run(const free_run& run, stream_entry& owner) {
        for (block* b = run.first;; b = b->after) {
            b->owner->free.remove(b);
            b->owner = &owner;
            if (b == run.last) break;
        }
        for (bool last = run.first == run.last; !last;) {
            last = run.first->after == run.last;
            join(run.first);
        }
        return run.first;
    }

    /// What a pointer is that is not the begin of a live block.
    [[nodiscard]] memory_fault classify(const void* pointer) const noexcept {
        const auto* const at = static_cast<const char*>(pointer);
        for (const auto& s : slabs_) {
            if (at < s->begin || at >= s->begin + s->bytes) continue;
            for (const block* b = s->first; b != nullptr; b = b->after)
                if (at >= b->begin && at < b->begin + b->bytes)
                    return b->live ? memory_fault::interior_pointer : memory_fault::double_free;
        }
        return memory_fault::foreign_pointer;
    }

    [[nodiscard]] std::size_t largest_free() const noexcept {
        std::size_t most = 0;
        for (const auto& s : slabs_) {
            std::size_t run = 0;
            for (const block* b = s->first; b != nullptr; b = b->after) {
                run = b->live ? 0 : run + b->bytes;
                most = std::max(most, run);
            }
        }
        return most;
    }

    [[nodiscard]] block* find_live(const void* pointer) const noexcept {
        block* const b = live_.find(pointer);
        return b;
    }
    [[nodiscard]] const std::vector<std::unique_ptr<slab>>& slabs() const noexcept {
        return slabs_;
    }
    [[nodiscard]] std::size_t live_blocks() const noexcept { return live_.size(); }
    [[nodiscard]] std::size_t reserved() const noexcept { return reserved_; }
    [[nodiscard]] std::size_t peak_reserved() const noexcept { return peak_reserved_; }
    void reset_peak() noexcept { peak_reserved_ = reserved_; }

private:
    static constexpr std::size_t large = std::size_t{1} << 20;
    /// Joining blocks joins what must be waited for: more than this and they stay apart.
    static constexpr int most_fences = 4;

    static void insert(block* b) noexcept { b->owner->free.insert(b); }

    [[nodiscard]] static bool may_join(const block* b, const block* other) noexcept {
        if (other == nullptr || other->live || other->warm || other->owner != b->owner)
            return false;
        int fences = 0;
        for (const fence* f = b->fences; f != nullptr; f = f->next)
            ++fences;
        for (const fence* f = other->fences; f != nullptr; f = f->next)
            ++fences;
        return fences <= most_fences;
    }

    /// Cuts `b` after `bytes` bytes and returns the lower part, or the upper one; `b` is the other.
    block* split(block* b, std::size_t bytes, bool upper) {
        block* const cut = blocks_.make();
        cut->home = b->home;
        cut->owner = b->owner;
        cut->begin = upper ? b->begin + bytes : b->begin;
        cut->bytes = upper ? b->bytes - bytes : bytes;
        if (!upper) b->begin += bytes;
        b->bytes -= cut->bytes;
        cut->before = upper ? b : b->before;
        cut->after = upper ? b->after : b;
        if (cut->before != nullptr)
            cut->before->after = cut;
        else
            cut->home->first = cut;
        if (cut->after != nullptr) cut->after->before = cut;
        return cut;
    }

    /// Joins `b` with the block after it; neither is in a list.
    void join(block* b) noexcept {
        block* const gone = b->after;
        b->bytes += gone->bytes;
        b->after = gone->after;
        if (b->after != nullptr) b->after->before = b;
        fence** end = &b->fences;
        while (*end != nullptr)
            end = &(*end)->next;
        *end = gone->fences;
        blocks_.recycle(gone);
    }

    std::vector<std::unique_ptr<slab>> slabs_;
    recycled<block> blocks_;
    live_map<> live_;
    std::size_t reserved_ = 0;
    std::size_t peak_reserved_ = 0;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
