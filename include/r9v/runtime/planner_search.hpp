// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The planner's problem, and the search that solves small cases exactly.
#pragma once

#include <r9v/core/integers.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

/// A tensor with a lifetime: needed from step `first` to step `last`, both included.
struct planned_tensor {
    std::size_t bytes = 0;
    index_t first = 0;
    index_t last = 0;
    std::size_t alignment = 256;
};

namespace runtime {

[[nodiscard]] inline bool meet(const planned_tensor& a, const planned_tensor& b) {
    return a.first <= b.last && b.first <= a.last;
}

template<class Lazy = void>
[[nodiscard]] std::size_t peak_of(std::span<const planned_tensor> tensors,
                                  std::span<const std::size_t> offsets) {
    std::size_t peak = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        peak = std::max(peak, tensors[i].bytes == 0 ? 0 : offsets[i] + tensors[i].bytes);
    return peak;
}

/// The most bytes that are live in one step.
template<class Lazy = void>
[[nodiscard]] std::size_t most_live(std::span<const planned_tensor> tensors) {
    std::size_t most = 0;
    for (const planned_tensor& begin : tensors) { // it only rises where something begins
        std::size_t live = 0;
        for (const planned_tensor& t : tensors)
            live += t.first <= begin.first && begin.first <= t.last ? t.bytes : 0;
        most = std::max(most, live);
    }
    return most;
}

/// Depth-first over the orders of rising offsets. In such an order each tensor may be put on top of
/// all it meets, but not below the one before: any plan, read in the order of its offsets, turns
/// into one of these without any offset rising, so the best of them is the best of all.
template<class Lazy = void>
class exact_search {
public:
    exact_search(std::span<const planned_tensor> tensors, std::size_t lower_bound,
                 std::size_t budget)
        : tensors_{tensors},
          lower_bound_{lower_bound},
          left_{budget},
          lowest_(tensors.size(), 0),
          offsets_(tensors.size(), 0) {}

    /// Lowers `peak` and sets `offsets` where it finds better; true if nothing better exists then.
    bool improve(std::size_t& peak, std::vector<std::size_t>& offsets) {
        std::vector<std::size_t> rest(tensors_.size());
        std::iota(rest.begin(), rest.end(), std::size_t{0});
        std::erase_if(rest, [&](std::size_t i) { return tensors_[i].bytes == 0; });
        // Large ones first: good plans early, and what cannot fit is known early.
        std::sort(rest.begin(), rest.end(), [&](std::size_t a, std::size_t b) {
            return tensors_[a].bytes != tensors_[b].bytes ? tensors_[a].bytes > tensors_[b].bytes
                                                          : a < b;
        });
        peak_ = peak;
        descend(rest, 0);
        if (peak_ < peak) {
            peak = peak_;
            offsets = best_;
        }
        return left_ > 0 || peak == lower_bound_;
    }

private:
    [[nodiscard]] std::size_t offset_of(std::size_t i, std::size_t last) const {
        return align_up(std::max(lowest_[i], last), tensors_[i].alignment);
    }

    /// `rest` is unplaced, `last` the offset of the tensor placed last.
    void descend(const std::vector<std::size_t>& rest, std::size_t last) {
        if (rest.empty()) {
            peak_ = peak_of(tensors_, offsets_);
            best_ = offsets_;
            return;
        }
        // Offsets only rise: what does not fit now never will.
        for (const std::size_t i : rest)
            if (offset_of(i, last) + tensors_[i].bytes >= peak_) return;
        const std::vector<std::size_t> before = lowest_;
        for (std::size_t k = 0; k < rest.size(); ++k) {
            if (peak_ == lower_bound_ || left_ == 0) return;
            --left_;
            const std::size_t i = rest[k];
            offsets_[i] = offset_of(i, last);
            if (offsets_[i] + tensors_[i].bytes >= peak_) continue;
            std::vector<std::size_t> fewer = rest;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
            for (const std::size_t j : fewer)
                if (meet(tensors_[i], tensors_[j]))
                    lowest_[j] = std::max(lowest_[j], offsets_[i] + tensors_[i].bytes);
            descend(fewer, offsets_[i]);
            lowest_ = before;
        }
    }

    std::span<const planned_tensor> tensors_;
    std::size_t lower_bound_;
    std::size_t left_;
    std::size_t peak_ = 0;
    std::vector<std::size_t> lowest_;
    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> best_;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
