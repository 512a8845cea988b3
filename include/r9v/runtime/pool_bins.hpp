// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Free blocks by size: lists in eight steps a power of two, and bits that say which are not empty
// (the two-level segregated fit of Masmano et al., "TLSF", 2004). Within a list the best fit is
// looked for among the first few.
#pragma once

#include <r9v/runtime/memory_resource.hpp>
#include <r9v/runtime/pool_block.hpp>

#include <bit>
#include <utility>

namespace r9v::inline R9V_ABI {

namespace runtime {

class size_bins {
public:
    void insert(block* b) noexcept {
        const position at = position_of(b->bytes);
        block*& head = heads_[at.power][at.step];
        b->previous = nullptr;
        b->next = head;
        if (head != nullptr) head->previous = b;
        head = b;
        powers_ |= std::uint64_t{1} << at.power;
        steps_[at.power] = static_cast<std::uint8_t>(steps_[at.power] | 1U << at.step);
        bytes_ += b->bytes;
    }

    void remove(block* b) noexcept {
        const position at = position_of(b->bytes);
        block*& head = heads_[at.power][at.step];
        if (b->previous != nullptr) b->previous->next = b->next;
        if (b->next != nullptr) b->next->previous = b->previous;
        if (head == b) head = b->next;
        b->previous = b->next = nullptr;
        bytes_ -= b->bytes;
        if (head != nullptr) return;
        steps_[at.power] = static_cast<std::uint8_t>(steps_[at.power] & ~(1U << at.step));
        if (steps_[at.power] == 0) powers_ &= ~(std::uint64_t{1} << at.power);
    }

    /// A small block of at least `bytes` bytes, or null. `unfenced`: none that waits for events.
    [[nodiscard]] block* find(std::size_t bytes, bool unfenced) const noexcept {
        position at = position_of(bytes);
        // Blocks of this list may be too small, those of later lists are not.
        for (bool first = true; next_list(at, first); first = false)
            if (block* const found = best_of(heads_[at.power][at.step], bytes, unfenced))
                return found;
        return nullptr;
    }

    [[nodiscard]] std::size_t largest() const noexcept {
        if (powers_ == 0) return 0;
        const int power = 63 - std::countl_zero(powers_);
        const int step = 7 - std::countl_zero(steps_[power]);
        std::size_t most = 0;
        for (const block* b = heads_[power][step]; b != nullptr; b = b->next)
            most = b->bytes > most ? b->bytes : most;
        return most;
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool empty() const noexcept { return powers_ == 0; }

    /// Some block, or null: for emptying the lists.
    [[nodiscard]] block* any() const noexcept {
        if (powers_ == 0) return nullptr;
        const int power = std::countr_zero(powers_);
        return heads_[power][std::countr_zero(steps_[power])];
    }

private:
    static constexpr int powers = 48;
    static constexpr int looked_at = 64;

    struct position {
        int power = 0;
        int step = 0;
    };

    static position position_of(std::size_t bytes) noexcept {
        const std::size_t units = bytes / memory_alignment;
        if (units < 8) return {0, static_cast<int>(units)};
        const int top = 63 - std::countl_zero(static_cast<std::uint64_t>(units));
        return {top - 2, static_cast<int>(units >> (top - 3) & 7)};
    }

    /// Moves to the first list that is not empty, at `at` or (unless `here`) behind it.
    bool next_list(position& at, bool here) const noexcept {
        const unsigned from = static_cast<unsigned>(at.step + (here ? 0 : 1));
        const unsigned left = from > 7 ? 0U : steps_[at.power] & 0xffU << from;
        if (left != 0) {
            at.step = std::countr_zero(left);
            return true;
        }
        const std::uint64_t rest = powers_ & ~std::uint64_t{0} << at.power << 1;
        if (rest == 0) return false;
        at.power = std::countr_zero(rest);
        at.step = std::countr_zero(static_cast<unsigned>(steps_[at.power]));
        return true;
    }

    /// The smallest that fits. The first list is read to its end while nothing fits.
    static block* best_of(block* head, std::size_t bytes, bool unfenced) noexcept {
        block* best = nullptr;
        int looked = 0;
        for (block* b = head; b != nullptr; b = b->next) {
            if (b->bytes >= bytes && !(unfenced && b->fences != nullptr) &&
                (best == nullptr || b->bytes < best->bytes ||
                 (b->bytes == best->bytes && b->begin < best->begin)))
                best = b;
            if (best != nullptr && (best->bytes == bytes || ++looked == looked_at)) break;
        }
        return best;
    }

    block* heads_[powers][8] = {};
    std::uint64_t powers_ = 0;
    std::uint8_t steps_[powers] = {};
    std::size_t bytes_ = 0;
};

/// The small blocks that were freed last, one for each of a few sizes, apart from the lists and not
/// joined with their neighbours: the next allocation of such a size takes it as it is.
class warm_blocks {
public:
    static constexpr std::size_t too_large = std::size_t{1} << 20;

    /// The block of exactly this size, taken out, or null.
    [[nodiscard]] block* take(std::size_t bytes, std::size_t alignment) noexcept {
        block*& slot = slots_[slot_of(bytes)];
        if (slot == nullptr || slot->bytes != bytes ||
            reinterpret_cast<std::uintptr_t>(slot->begin) % alignment != 0)
            return nullptr;
        slot->warm = false;
        return std::exchange(slot, nullptr);
    }
    /// Puts a free block in. Returns the one that has to leave for it: itself, an older one or
    /// null.
    [[nodiscard]] block* put(block* b) noexcept {
        if (b->bytes >= too_large || b->fences != nullptr) return b;
        b->warm = true;
        block* const older = std::exchange(slots_[slot_of(b->bytes)], b);
        if (older != nullptr) older->warm = false;
        return older;
    }
    /// Some block, taken out, or null.
    [[nodiscard]] block* take_any() noexcept {
        for (block*& slot : slots_)
            if (slot != nullptr) {
                slot->warm = false;
                return std::exchange(slot, nullptr);
            }
        return nullptr;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (const block* const b : slots_)
            sum += b == nullptr ? 0 : b->bytes;
        return sum;
    }

private:
    static constexpr std::size_t places = 16;
    static std::size_t slot_of(std::size_t bytes) noexcept {
        return (bytes / memory_alignment * 0x9e37'79b9'7f4a'7c15U) >> 60;
    }
    block* slots_[places] = {};
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
