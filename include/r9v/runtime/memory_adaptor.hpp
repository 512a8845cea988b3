// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What may stand before a memory resource and is one itself: a limit, a second chance, counters.
// Adaptors stack; each must be destroyed before what it stands on. They are templates so that those
// that a program does not use are not compiled.
#pragma once

#include <r9v/runtime/callback.hpp>
#include <r9v/runtime/lock.hpp>
#include <r9v/runtime/memory_resource.hpp>
#include <r9v/runtime/memory_tag.hpp>
#include <r9v/runtime/pool_messages.hpp>

#include <mutex>
#include <unordered_map>
#include <utility>

namespace r9v::inline R9V_ABI {

/// Passes everything on. Others derive from it.
class memory_adaptor : public memory_resource {
public:
    explicit memory_adaptor(memory_resource& upstream) noexcept : upstream_{upstream} {}
    [[nodiscard]] memory_resource& upstream() const noexcept { return upstream_; }

protected:
    memory_status do_allocate(void*& pointer, const memory_request& r) noexcept override {
        return upstream_.try_allocate(pointer, r.bytes, r.stream, r.alignment, r.where);
    }
    memory_status do_deallocate(void* pointer, std::size_t bytes,
                                const stream_ref* stream) noexcept override {
        return stream == nullptr ? upstream_.try_deallocate(pointer, bytes)
                                 : upstream_.try_deallocate(pointer, bytes, *stream);
    }
    memory_status do_record_use(void* pointer, const stream_ref& stream) noexcept override {
        return upstream_.try_record_use(pointer, stream);
    }
    [[nodiscard]] memory_figures do_figures() const noexcept override {
        return upstream_.figures();
    }

private:
    memory_resource& upstream_;
};

namespace runtime {

/// What an adaptor remembers of each live allocation.
template<class Note>
class live_notes {
public:
    void add(void* pointer, Note note) {
        const std::lock_guard guard{mutex_};
        notes_.insert_or_assign(pointer, std::move(note));
    }
    /// Forgets the note, runs `free`, and remembers the note again if that failed: once memory is
    /// free, its address may come back on another thread at any time.
    template<class Free, class Forget>
    memory_status free(void* pointer, Free free_it, Forget forgotten) {
        std::unique_lock locked{mutex_};
        auto note = notes_.extract(pointer);
        locked.unlock();
        memory_status outcome = free_it();
        if (note.empty()) return outcome;
        if (outcome) {
            forgotten(note.mapped());
        } else {
            locked.lock();
            notes_.insert(std::move(note));
        }
        return outcome;
    }
    template<class Visit>
    void for_each(Visit visit) const {
        const std::lock_guard guard{mutex_};
        for (const auto& [pointer, note] : notes_)
            visit(pointer, note);
    }

private:
    mutable brief_mutex mutex_;
    std::unordered_map<void*, Note> notes_;
};

} // namespace runtime

/// Never more than `most` bytes live at once: what would be more is refused as out of memory.
template<class Lazy = void>
class basic_limited_memory final : public memory_adaptor {
public:
    basic_limited_memory(memory_resource& upstream, std::size_t most) noexcept
        : memory_adaptor{upstream},
          most_{most} {}
    [[nodiscard]] std::size_t limit() const noexcept { return most_; }

private:
    memory_status do_allocate(void*& pointer, const memory_request& request) noexcept override {
        {
            const std::lock_guard guard{mutex_};
            if (request.bytes > most_ - counter_.current_bytes)
                return runtime::no_memory({request.bytes, most_ - counter_.current_bytes,
                                           counter_.current_bytes, counter_.peak_bytes, most_},
                                          true);
            counter_.add(request.bytes);
        }
        memory_status outcome = memory_adaptor::do_allocate(pointer, request);
        if (outcome)
            notes_.add(pointer, request.bytes);
        else
            take_off(request.bytes);
        return outcome;
    }
    memory_status do_deallocate(void* pointer, std::size_t bytes,
                                const stream_ref* stream) noexcept override {
        return notes_.free(
            pointer, [&] { return memory_adaptor::do_deallocate(pointer, bytes, stream); },
            [&](std::size_t held) { take_off(held); });
    }
    [[nodiscard]] memory_figures do_figures() const noexcept override {
        memory_figures now = memory_adaptor::do_figures();
        const std::lock_guard guard{mutex_};
        now.live = counter_.current_bytes;
        now.peak = counter_.peak_bytes;
        return now;
    }
    void take_off(std::size_t bytes) noexcept {
        const std::lock_guard guard{mutex_};
        counter_.subtract(bytes);
    }

    std::size_t most_;
    mutable runtime::brief_mutex mutex_;
    memory_counter counter_;
    runtime::live_notes<std::size_t> notes_;
};

using limited_memory = basic_limited_memory<>;

/// Asks `on_failure` when an allocation failed, with no lock held: true means that something was
/// freed, and the allocation is tried once more.
template<class Lazy = void>
class basic_retried_memory final : public memory_adaptor {
public:
    using second_chance = callback<bool(const memory_error&)>;
    basic_retried_memory(memory_resource& upstream, second_chance on_failure)
        : memory_adaptor{upstream},
          on_failure_{std::move(on_failure)} {}

private:
    memory_status do_allocate(void*& pointer, const memory_request& request) noexcept override {
        memory_status outcome = memory_adaptor::do_allocate(pointer, request);
        if (outcome.ok() || !on_failure_ || !on_failure_(outcome.error())) return outcome;
        return memory_adaptor::do_allocate(pointer, request);
    }

    second_chance on_failure_;
};

using retried_memory = basic_retried_memory<>;

/// Counts what goes through it: bytes and blocks, current, peak and total, in all and by
/// memory_tag.
template<class Lazy = void>
class basic_counted_memory final : public memory_adaptor {
public:
    using memory_adaptor::memory_adaptor;

    [[nodiscard]] memory_counter all() const {
        const std::lock_guard guard{mutex_};
        return tags_.all();
    }
    [[nodiscard]] std::vector<tagged_counter> by_tag() const {
        const std::lock_guard guard{mutex_};
        return tags_.by_tag();
    }
    void reset_peaks() noexcept {
        const std::lock_guard guard{mutex_};
        tags_.reset_peaks();
    }

private:
    struct note {
        std::size_t bytes;
        std::uint32_t tag;
    };

    memory_status do_allocate(void*& pointer, const memory_request& request) noexcept override {
        memory_status outcome = memory_adaptor::do_allocate(pointer, request);
        if (!outcome) return outcome;
        std::uint32_t tag = 0;
        {
            const std::lock_guard guard{mutex_};
            tag = tags_.number_of(memory_tag::innermost());
            tags_.add(tag, request.bytes);
        }
        notes_.add(pointer, {request.bytes, tag});
        return outcome;
    }
    memory_status do_deallocate(void* pointer, std::size_t bytes,
                                const stream_ref* stream) noexcept override {
        return notes_.free(
            pointer, [&] { return memory_adaptor::do_deallocate(pointer, bytes, stream); },
            [&](const note& held) {
                const std::lock_guard guard{mutex_};
                tags_.subtract(held.tag, held.bytes);
            });
    }

    mutable runtime::brief_mutex mutex_;
    runtime::tag_table<> tags_;
    runtime::live_notes<note> notes_;
};
using counted_memory = basic_counted_memory<>;

} // namespace r9v::inline R9V_ABI
