// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The decoded form of one code segment: a slot per dword, filled when execution first comes there.
// An empty slot (no handler) means "not decoded yet".
#pragma once

#include "../device/launch.hpp"
#include "../device/memory.hpp"
#include "../wave/op.hpp"
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace r9v_emulator {

class program {
public:
    program(memory& device, const kernel_image& kernel, bool strict, std::vector<u64> dropped);
    ~program();
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    /// Slot of a code address, nullptr outside the segment.
    const op* at(u64 address) const {
        const u64 offset = address - begin_;
        return offset < end_ - begin_ && offset % 4 == 0 ? slots_ + offset / 4 : nullptr;
    }
    u64 address_of(const op* slot) const { return begin_ + 4 * static_cast<u64>(slot - slots_); }
    bool holds(const op* slot) const { return slot >= slots_ && slot < slots_ + size(); }
    std::size_t size() const { return (end_ - begin_) / 4; }
    std::size_t index_of(const op* slot) const { return static_cast<std::size_t>(slot - slots_); }

    /// Decodes from this slot to the end of the straight run; safe from several threads.
    void decode(const op* slot);
    std::string text_at(u64 address);
    u64 begin() const { return begin_; }
    u64 end() const { return end_; }

private:
    bool decode_one(op* slot);

    memory& device_;
    u64 begin_, end_;
    generation isa_;
    bool strict_;
    std::vector<u64> dropped_;
    op* slots_ = nullptr;
    std::mutex mutex_;
};

} // namespace r9v_emulator
