// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tags of a set-associative cache with least-recently-used replacement. A tag knows when its
// line arrives, so that a second miss on a line on its way waits for the first.
#pragma once

#include "../wave/types.hpp"
#include <algorithm>
#include <bit>
#include <vector>

namespace r9v_emulator::clock {

class cache {
public:
    struct entry {
        u32 tag = ~0u;
        u32 used = 0;
        double arrives = 0;
    };

    cache() = default;
    cache(u64 bytes, unsigned line, unsigned ways) : ways_(ways) {
        sets_ = std::max<u64>(1, bytes / line / ways);
        entries_.resize(sets_ * ways);
    }

    /// The entry of a line that is here, or nullptr.
    entry* find(u32 line) {
        entry* const set = set_of(line);
        for (unsigned i = 0; i < ways_; ++i)
            if (set[i].tag == line) {
                set[i].used = ++clock_;
                return &set[i];
            }
        return nullptr;
    }
    /// Takes the place of the line of the set that was used longest ago.
    void put(u32 line, double arrives) {
        entry* const set = set_of(line);
        entry* oldest = set;
        for (unsigned i = 1; i < ways_; ++i)
            if (set[i].used < oldest->used) oldest = &set[i];
        *oldest = {line, ++clock_, arrives};
    }
    void clear() {
        std::ranges::fill(entries_, entry{});
        clock_ = 0;
    }
    u64 lines() const { return entries_.size(); }

private:
    entry* set_of(u32 line) {
        // Neighbouring sets for neighbouring lines, with the upper bits mixed in.
        const u64 mixed = line ^ (line >> 12) * u64{0x9e37};
        return entries_.data() + mixed % sets_ * ways_;
    }

    u64 sets_ = 1;
    unsigned ways_ = 0;
    u32 clock_ = 0;
    std::vector<entry> entries_;
};

} // namespace r9v_emulator::clock
