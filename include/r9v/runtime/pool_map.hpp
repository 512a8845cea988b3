// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The live blocks of a pool by address: a hash table with open addressing, so that freeing looks up
// one cache line and any pointer that is not live is known for what it is.
#pragma once

#include <r9v/runtime/pool_block.hpp>

#include <utility>

namespace r9v::inline R9V_ABI {

namespace runtime {

template<class Lazy = void>
class live_map {
public:
    live_map() : slots_(64) {}

    [[nodiscard]] block* find(const void* pointer) const noexcept {
        for (std::size_t at = slot_of(pointer);; at = next(at)) {
            if (slots_[at] == nullptr || slots_[at]->begin == pointer) return slots_[at];
        }
    }

    void insert(block* b) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        place(b);
        ++size_;
    }

    /// `b` is in the map. The slots behind it move up, so that no search ends too early.
    void remove(const block* b) noexcept {
        std::size_t hole = slot_of(b->begin);
        while (slots_[hole] != b)
            hole = next(hole);
        slots_[hole] = nullptr;
        --size_;
        for (std::size_t at = next(hole); slots_[at] != nullptr; at = next(at)) {
            const std::size_t wanted = slot_of(slots_[at]->begin);
            // Whether the hole lies between where this one wants to be and where it is.
            if (((at - wanted) & mask()) >= ((at - hole) & mask())) {
                slots_[hole] = std::exchange(slots_[at], nullptr);
                hole = at;
            }
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
    [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask(); }
    [[nodiscard]] std::size_t slot_of(const void* pointer) const noexcept {
        // Addresses are multiples of 256; Fibonacci hashing spreads the rest.
        const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer)) >> 8;
        return static_cast<std::size_t>(key * 0x9e37'79b9'7f4a'7c15U >> 20) & mask();
    }

    void place(block* b) noexcept {
        std::size_t at = slot_of(b->begin);
        while (slots_[at] != nullptr)
            at = next(at);
        slots_[at] = b;
    }
    void grow() {
        std::vector<block*> old(2 * slots_.size());
        old.swap(slots_);
        for (block* const b : old)
            if (b != nullptr) place(b);
    }

    std::vector<block*> slots_;
    std::size_t size_ = 0;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
