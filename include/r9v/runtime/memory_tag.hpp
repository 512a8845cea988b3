// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Counting memory, in all and by tag. Tags nest: what is allocated under `attention` within
// `decode` counts for `decode` and for `decode/attention`.
#pragma once

#include <r9v/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace r9v::inline R9V_ABI {

/// Bytes and blocks: now, at most so far, and ever.
struct memory_counter {
    std::size_t current_bytes = 0;
    std::size_t peak_bytes = 0;
    std::size_t total_bytes = 0;
    std::size_t current_blocks = 0;
    std::size_t peak_blocks = 0;
    std::size_t total_blocks = 0;

    void add(std::size_t bytes) noexcept {
        current_bytes += bytes;
        total_bytes += bytes;
        ++current_blocks;
        ++total_blocks;
        if (current_bytes > peak_bytes) peak_bytes = current_bytes;
        if (current_blocks > peak_blocks) peak_blocks = current_blocks;
    }
    void subtract(std::size_t bytes) noexcept {
        current_bytes -= bytes;
        --current_blocks;
    }
};

/// While it lives, what this thread allocates carries the tag `name` (a literal, or text that lives
/// as long). Destroy in reverse order, on the same thread.
class memory_tag {
public:
    explicit memory_tag(const char* name) noexcept : name_{name}, outer_{innermost()} {
        innermost() = this;
    }
    memory_tag(const memory_tag&) = delete;
    memory_tag& operator=(const memory_tag&) = delete;
    ~memory_tag() { innermost() = outer_; }

    [[nodiscard]] const char* name() const noexcept { return name_; }
    [[nodiscard]] const memory_tag* outer() const noexcept { return outer_; }
    /// The tag that this thread allocates under, or null.
    [[nodiscard]] static const memory_tag*& innermost() noexcept {
        static constinit thread_local const memory_tag* tag = nullptr;
        return tag;
    }

private:
    const char* name_;
    const memory_tag* outer_;
};

/// The counter of a tag: its name with those around it, `decode/attention`.
struct tagged_counter {
    std::string tag;
    memory_counter counter;
};

namespace runtime {

/// Counters by tag; number 0 is everything. Not thread-safe: its owner has the lock.
template<class Lazy = void>
class tag_table {
public:
    tag_table() : tags_(1) {}

    /// The number of a tag, made when first met.
    [[nodiscard]] std::uint32_t number_of(const memory_tag* tag) {
        if (tag == nullptr) return 0;
        const std::uint32_t outer = number_of(tag->outer());
        for (std::uint32_t i = 1; i < tags_.size(); ++i)
            if (tags_[i].outer == outer && std::string_view{tags_[i].name} == tag->name()) return i;
        tags_.push_back({tag->name(), outer, {}});
        return static_cast<std::uint32_t>(tags_.size() - 1);
    }
    void add(std::uint32_t tag, std::size_t bytes) noexcept {
        for (; tag != 0; tag = tags_[tag].outer)
            tags_[tag].counter.add(bytes);
        tags_[0].counter.add(bytes);
    }
    void subtract(std::uint32_t tag, std::size_t bytes) noexcept {
        for (; tag != 0; tag = tags_[tag].outer)
            tags_[tag].counter.subtract(bytes);
        tags_[0].counter.subtract(bytes);
    }
    [[nodiscard]] const memory_counter& all() const noexcept { return tags_[0].counter; }
    [[nodiscard]] std::string path_of(std::uint32_t tag) const {
        if (tag == 0) return {};
        const std::string outer = path_of(tags_[tag].outer);
        return outer.empty() ? tags_[tag].name : outer + '/' + tags_[tag].name;
    }
    [[nodiscard]] std::vector<tagged_counter> by_tag() const {
        std::vector<tagged_counter> counters;
        for (std::uint32_t i = 1; i < tags_.size(); ++i)
            counters.push_back({path_of(i), tags_[i].counter});
        return counters;
    }
    /// Forgets how high the counters were.
    void reset_peaks() noexcept {
        for (entry& e : tags_) {
            e.counter.peak_bytes = e.counter.current_bytes;
            e.counter.peak_blocks = e.counter.current_blocks;
        }
    }

private:
    struct entry {
        std::string name;
        std::uint32_t outer = 0;
        memory_counter counter;
    };
    std::vector<entry> tags_;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
