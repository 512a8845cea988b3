// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Offline planning: which tensors may share which bytes, when all sizes and lifetimes are known.
// One allocation of the peak then serves them all, with nothing to do at run time.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/runtime/planner_search.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace r9v::inline R9V_ABI {

/// Where everything goes, and how good that is.
struct offset_plan {
    std::vector<std::size_t> offsets; ///< of each tensor, in bytes, within one allocation
    std::size_t peak = 0;             ///< bytes that the allocation needs
    std::size_t lower_bound = 0;      ///< the most bytes that live in one step: no plan needs less
    std::size_t sum = 0;              ///< what they need without sharing
    bool optimal = false;             ///< no plan has a lower peak: proved by bound or by search
};

struct planner_options {
    std::size_t searched = 200'000; ///< placements that the exact search may try
    std::size_t shuffled = 300;     ///< orders that are tried beyond the fixed ones
    std::uint64_t seed = 1;         ///< the same seed gives the same plan
};

namespace runtime {

/// Places the tensors in this order, each at the lowest offset where it meets none that lives at
/// the same time.
template<class Lazy = void>
std::vector<std::size_t> first_fit(std::span<const planned_tensor> tensors,
                                   std::span<const std::size_t> order) {
    std::vector<std::size_t> offsets(tensors.size(), 0);
    std::vector<std::size_t> placed; // by offset
    for (const std::size_t i : order) {
        std::size_t at = 0;
        for (const std::size_t j : placed) {
            if (!meet(tensors[i], tensors[j])) continue;
            if (offsets[j] >= at + tensors[i].bytes) break;
            at = std::max(at, align_up(offsets[j] + tensors[j].bytes, tensors[i].alignment));
        }
        offsets[i] = at;
        if (tensors[i].bytes == 0) continue;
        const auto where = std::upper_bound(
            placed.begin(), placed.end(), at,
            [&](std::size_t offset, std::size_t j) { return offset < offsets[j]; });
        placed.insert(where, i);
    }
    return offsets;
}

/// Tries orders of placing and keeps the best.
template<class Lazy = void>
class order_search {
public:
    order_search(std::span<const planned_tensor> tensors, offset_plan& best)
        : tensors_{tensors},
          best_{best},
          order_(tensors.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    /// By when they begin, as an allocator would meet them; then by what is hard to place.
    void try_fixed_orders() {
        const auto length = [](const planned_tensor& t) {
            return t.last - t.first + 1;
        };
        try_sorted(
            [](const planned_tensor& a, const planned_tensor& b) { return a.first < b.first; });
        try_sorted(
            [](const planned_tensor& a, const planned_tensor& b) { return a.bytes > b.bytes; });
        try_sorted([&](const planned_tensor& a, const planned_tensor& b) {
            return length(a) != length(b) ? length(a) > length(b) : a.bytes > b.bytes;
        });
        try_sorted([&](const planned_tensor& a, const planned_tensor& b) {
            return static_cast<double>(a.bytes) * static_cast<double>(length(a)) >
                   static_cast<double>(b.bytes) * static_cast<double>(length(b));
        });
    }

    /// From the best order so far, one tensor moved at a time.
    void try_moves(const planner_options& options) {
        std::uint64_t state = options.seed;
        // A linear congruential step (Knuth's MMIX constants); <random> takes longer to compile
        // than all of the planner.
        const auto random = [&state](std::size_t below) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return static_cast<std::size_t>(state >> 33) % below;
        };
        order_ = best_order_;
        for (std::size_t i = 0; i < options.shuffled && !good_enough() && order_.size() > 2; ++i) {
            const std::size_t from = random(order_.size());
            const std::size_t to = random(order_.size());
            move(from, to);
            if (!try_order()) move(to, from);
        }
    }

private:
    [[nodiscard]] bool good_enough() const { return best_.peak <= best_.lower_bound; }
    void move(std::size_t from, std::size_t to) {
        const auto begin = order_.begin();
        const auto at = [&](std::size_t i) {
            return begin + static_cast<std::ptrdiff_t>(i);
        };
        if (from < to)
            std::rotate(at(from), at(from + 1), at(to + 1));
        else
            std::rotate(at(to), at(from), at(from + 1));
    }
    template<class Less>
    void try_sorted(Less less) {
        if (good_enough() && !best_order_.empty()) return;
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            if (less(tensors_[a], tensors_[b])) return true;
            return !less(tensors_[b], tensors_[a]) && a < b;
        });
        (void)try_order();
    }
    /// Whether the order was not worse than the best, which it then is.
    bool try_order() {
        std::vector<std::size_t> offsets = first_fit(tensors_, order_);
        const std::size_t peak = peak_of(tensors_, offsets);
        if (!best_order_.empty() && peak > best_.peak) return false;
        best_.peak = peak;
        best_.offsets = std::move(offsets);
        best_order_ = order_;
        return true;
    }

    std::span<const planned_tensor> tensors_;
    offset_plan& best_;
    std::vector<std::size_t> order_;
    std::vector<std::size_t> best_order_;
};

} // namespace runtime

/// Offsets for tensors that are live from step `first` to step `last`, both included. Never worse
/// than first-fit in the order of the steps; optimal where the search ends within its budget, which
/// it does for a dozen tensors. The time is about n^2 for each order that is tried.
template<class Lazy = void>
offset_plan plan_offsets(std::span<const planned_tensor> tensors,
                         const planner_options& options = {}) {
    offset_plan best;
    best.lower_bound = runtime::most_live(tensors);
    for (const planned_tensor& t : tensors)
        best.sum += t.bytes;
    runtime::order_search<> orders{tensors, best};
    orders.try_fixed_orders();
    orders.try_moves(options);
    best.optimal = best.peak == best.lower_bound;
    if (best.optimal) return best;
    runtime::exact_search<> search{tensors, best.lower_bound, options.searched};
    best.optimal = search.improve(best.peak, best.offsets);
    return best;
}

/// Whether no two tensors that live at the same time share a byte, offsets are aligned, and the
/// peak is what the offsets need.
template<class Lazy = void>
[[nodiscard]] bool is_valid(std::span<const planned_tensor> tensors, const offset_plan& plan) {
    if (plan.offsets.size() != tensors.size()) return false;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (plan.offsets[i] % tensors[i].alignment != 0) return false;
        for (std::size_t j = 0; j < i; ++j)
            if (runtime::meet(tensors[i], tensors[j]) &&
                plan.offsets[i] < plan.offsets[j] + tensors[j].bytes &&
                plan.offsets[j] < plan.offsets[i] + tensors[i].bytes)
                return false;
    }
    return plan.peak == runtime::peak_of(tensors, plan.offsets);
}

} // namespace r9v::inline R9V_ABI
