// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What can be chosen of a pool, and what it reports.
#pragma once

#include <r9v/runtime/callback.hpp>
#include <r9v/runtime/memory_tag.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace r9v::inline R9V_ABI {

/// How long streams live that come as raw handles of the runtime. (An r9v::stream says it itself.)
enum class raw_streams {
    may_end, ///< at least until what was allocated on them is freed; each free records an event
    outlive_pool, ///< as long as the pool: frees cost nothing, as with r9v::stream
};

struct pool_options {
    int device = -1;                       ///< -1: the current one
    std::size_t reserve = 0;               ///< bytes taken from the device at once
    std::size_t maximum = any_number;      ///< never more bytes than this
    std::size_t growth_minimum = 8u << 20; ///< the pool grows by multiples of this,
    unsigned growth_percent = 3;           ///< by this part of what it has, or by what is needed
    bool release_before_growth = true;     ///< unused slabs make room for one that fits
    raw_streams raw = raw_streams::may_end;
    /// Called with the bytes that are missing when the device has no more and trimming did not
    /// help; no lock is held. True: something was freed, try once more.
    callback<bool(std::size_t bytes)> on_shortage = {};

    static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
};

/// How a pool stands and what it did.
struct pool_statistics {
    memory_counter all; ///< in bytes asked for
    std::vector<tagged_counter> tags;
    std::size_t reserved_bytes = 0;
    std::size_t peak_reserved_bytes = 0;
    std::size_t free_bytes = 0;
    std::size_t largest_free_bytes = 0;
    std::size_t slabs = 0;
    std::size_t streams = 0;
    std::size_t growths = 0;
    std::size_t steals = 0; ///< blocks that came from another stream's free list
    std::size_t merges = 0; ///< allocations made of several free neighbours
    std::size_t events = 0; ///< ever made; they are recycled

    /// How much of the free memory is not in the largest gap: 0 (one gap) to nearly 1.
    [[nodiscard]] double fragmentation() const noexcept {
        return free_bytes == 0 ? 0.0
                               : 1.0 - static_cast<double>(largest_free_bytes) /
                                           static_cast<double>(free_bytes);
    }
};

/// A pool's slabs and blocks at one moment.
struct pool_snapshot {
    struct block_state {
        std::size_t offset = 0;
        std::size_t bytes = 0;
        std::size_t requested = 0;
        bool live = false;
        bool fenced = false;      ///< free, but some stream may still use it
        std::uint64_t stream = 0; ///< 0 the null stream; else equal for blocks of one stream
        std::string tag;
    };
    struct slab_state {
        std::uint64_t address = 0;
        std::size_t bytes = 0;
        std::vector<block_state> blocks;
    };
    int device = 0;
    pool_statistics statistics;
    std::vector<slab_state> slabs;
};

} // namespace r9v::inline R9V_ABI
