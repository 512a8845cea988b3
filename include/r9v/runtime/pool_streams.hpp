// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The streams that a pool knows, each with the free blocks that are in its order.
#pragma once

#include <r9v/runtime/pool_bins.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

namespace runtime {

/// What another stream must do before it may use a free block of this one.
enum class stream_order {
    lasting,  ///< wait for an event recorded now: the stream lives as long as the pool
    recorded, ///< the same while the stream lives; then wait for its final event
    marked,   ///< nothing but the block's fences: each free recorded an event
};

struct stream_entry {
    void* handle = nullptr;
    std::uint64_t number = 0; ///< with the handle, the stream's identity
    std::shared_ptr<stream_record> record;
    stream_order order = stream_order::lasting;
    size_bins free;
    warm_blocks warm;
    std::size_t references = 0;      ///< live blocks and uses
    stream_entry* keeper = nullptr;  ///< allocations go there instead
    stream_entry* kept_of = nullptr; ///< for a keeper: the stream's own entry
};

/// All entries. The first is for blocks whose stream is gone; it has no stream.
template<class Lazy = void>
class stream_table {
public:
    stream_table() {
        entries_.push_back(std::make_unique<stream_entry>());
        entries_[0]->order = stream_order::marked;
        entries_[0]->number = ~std::uint64_t{0};
    }

    [[nodiscard]] stream_entry& orphans() noexcept { return *entries_[0]; }

    [[nodiscard]] stream_entry* find(void* handle, std::uint64_t number) noexcept {
        stream_entry*& recent = recent_[slot_of(handle, number)];
        if (recent != nullptr && recent->handle == handle && recent->number == number)
            return recent;
        for (std::size_t i = 1; i < entries_.size(); ++i)
            if (entries_[i]->handle == handle && entries_[i]->number == number &&
                entries_[i]->kept_of == nullptr)
                return recent = entries_[i].get();
        return nullptr;
    }

    /// The entry of a stream with identity that lives and has this handle: then the handle is its
    /// own.
    [[nodiscard]] stream_entry* find_alive(void* handle) noexcept {
        for (const auto& e : entries_)
            if (e->handle == handle && e->order == stream_order::recorded &&
                e->kept_of == nullptr && e->record->alive())
                return e.get();
        return nullptr;
    }

    [[nodiscard]] stream_entry& add(stream_entry&& fresh) {
        entries_.push_back(std::make_unique<stream_entry>(std::move(fresh)));
        return *entries_.back();
    }

    /// Removes those for which `gone(entry)`; never the orphans.
    template<class Gone>
    void remove_if(Gone gone) {
        for (stream_entry*& recent : recent_)
            recent = nullptr;
        for (std::size_t i = entries_.size(); i-- > 1;)
            if (gone(*entries_[i])) {
                std::swap(entries_[i], entries_.back());
                entries_.pop_back();
            }
    }

    [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }
    [[nodiscard]] auto end() const noexcept { return entries_.end(); }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size() - 1; }

private:
    static constexpr std::size_t recents = 64;
    static std::size_t slot_of(const void* handle, std::uint64_t number) noexcept {
        const auto mixed =
            (static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle)) + number) *
            0x9e37'79b9'7f4a'7c15U;
        return static_cast<std::size_t>(mixed >> 58);
    }

    std::vector<std::unique_ptr<stream_entry>> entries_;
    stream_entry* recent_[recents] = {};
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
