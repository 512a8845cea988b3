// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Durations: how many, their mean, and percentiles over the latest of them.
#pragma once

#include <r9v/core/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace r9v::inline R9V_ABI {

/// Of one kind of duration, in seconds.
struct duration_summary {
    std::uint64_t count = 0;
    double total = 0;
    double p50 = 0; ///< of the latest 512
    double p95 = 0;

    [[nodiscard]] double mean() const noexcept {
        return count == 0 ? 0 : total / static_cast<double>(count);
    }
};

namespace runtime {

/// Keeps the latest durations in place: adding one allocates nothing.
class samples {
public:
    static constexpr std::size_t capacity = 512;

    void add(double seconds) noexcept {
        latest_[count_ % capacity] = seconds;
        ++count_;
        total_ += seconds;
    }
    void reset() noexcept { *this = {}; }

    [[nodiscard]] duration_summary summary() const noexcept {
        duration_summary result{count_, total_, 0, 0};
        auto sorted = latest_;
        const std::size_t kept = std::min<std::size_t>(count_, capacity);
        if (kept == 0) return result;
        std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(kept));
        result.p50 = sorted[(kept - 1) / 2];
        result.p95 = sorted[(kept - 1) * 95 / 100];
        return result;
    }

private:
    std::array<double, capacity> latest_{};
    std::uint64_t count_ = 0;
    double total_ = 0;
};

} // namespace runtime

} // namespace r9v::inline R9V_ABI
