// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Keys and values of several sequences in pages, and what the kernels of one step are told about
// its tokens. This is the host's whole part in it: a few whole numbers for every step.
#pragma once

#include "transformer.hpp"
#include <algorithm>

namespace example {

/// Which pages hold which rows. Pages are handed out when a sequence grows into them.
class page_table {
public:
    page_table(int sequences, int pages, int page_size)
        : page_size_{page_size},
          most_{pages / sequences},
          lengths_(static_cast<std::size_t>(sequences)),
          table_(static_cast<std::size_t>(sequences * most_), -1) {
        for (int page = 0; page < pages; ++page) // in no order, as after a while of use
            free_.push_back((page * 7 + 3) % pages);
    }

    // snippet: grow
    /// The slot of one more row of a sequence: page * page size + row in the page.
    int grow(int sequence) {
        std::int32_t& length = lengths_[static_cast<std::size_t>(sequence)];
        std::int32_t& page =
            table_.at(static_cast<std::size_t>(sequence * most_ + length / page_size_));
        if (page < 0) {
            page = free_.back();
            free_.pop_back();
        }
        return page * page_size_ + length++ % page_size_;
    }
    // end snippet

    [[nodiscard]] int length(int sequence) const {
        return lengths_[static_cast<std::size_t>(sequence)];
    }
    [[nodiscard]] int sequences() const { return static_cast<int>(lengths_.size()); }
    /// Pages that a sequence may have.
    [[nodiscard]] int most() const { return most_; }
    [[nodiscard]] const std::vector<std::int32_t>& lengths() const { return lengths_; }
    [[nodiscard]] const std::vector<std::int32_t>& table() const { return table_; }

private:
    int page_size_;
    int most_;
    std::vector<std::int32_t> lengths_;
    std::vector<std::int32_t> table_; // [sequence, page of it]; -1 behind the length
    std::vector<std::int32_t> free_;
};

// snippet: step
/// The tokens of one step, whether whole prompts or one new token each: those of all sequences
/// behind one another, as packed() takes them.
struct token_step {
    /// Of `counts[s]` new tokens of every sequence; the table grows by them.
    token_step(page_table& pages, const std::vector<int>& counts) : offsets{0} {
        for (int sequence = 0; sequence < pages.sequences(); ++sequence) {
            const int count = counts[static_cast<std::size_t>(sequence)];
            for (int i = 0; i < count; ++i) {
                positions.push_back(pages.length(sequence));
                slots.push_back(pages.grow(sequence));
            }
            offsets.push_back(static_cast<std::int32_t>(positions.size()));
            longest = std::max(longest, count);
        }
        lengths = pages.lengths();
        table = pages.table();
    }

    [[nodiscard]] int tokens() const { return static_cast<int>(positions.size()); }

    std::vector<std::int32_t> positions; ///< of each token in its sequence
    std::vector<std::int32_t> slots;     ///< where each token's key and value go
    std::vector<std::int32_t> offsets;   ///< token at which each sequence begins, and the end
    std::vector<std::int32_t> lengths;   ///< keys of each sequence, new ones included
    std::vector<std::int32_t> table;     ///< its pages
    int longest = 0;                     ///< most new tokens of one sequence
};
// end snippet

/// The same where kernels read it.
template<class Place>
struct placed_step {
    placed_step(const token_step& step, const page_table& pages)
        : positions{{step.tokens()}, step.positions},
          slots{{step.tokens()}, step.slots},
          offsets{{pages.sequences() + 1}, step.offsets},
          lengths{{pages.sequences()}, step.lengths},
          table{{pages.sequences(), pages.most()}, step.table},
          tokens{step.tokens()},
          longest{step.longest} {}

    stored<Place, std::int32_t, 1> positions, slots, offsets, lengths;
    stored<Place, std::int32_t, 2> table;
    int tokens;
    int longest;
};

} // namespace example
