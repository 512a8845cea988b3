// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which requests make a batch, and when. It has no thread and no clock: times are told.
#pragma once

#include <r9v/runtime/batch_options.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI::runtime {

template<class Item>
class batch_queue {
public:
    using moment = batch_clock::moment;

    explicit batch_queue(const batch_options& options)
        : most_{options.most},
          preferred_{options.preferred},
          delay_{options.delay},
          limit_{options.queue_limit},
          late_{options.late},
          levels_(options.priorities + 1) {
        if (preferred_.empty()) preferred_.push_back(most_);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] bool full() const noexcept { return size_ >= limit_; }
    [[nodiscard]] std::size_t priorities() const noexcept { return levels_.size() - 1; }

    void push(Item&& item, std::size_t priority, const moment& now, const moment& deadline) {
        levels_[priority].push_back({std::move(item), now, deadline});
        earliest_deadline_ = std::min(earliest_deadline_, deadline);
        oldest_ = std::min(oldest_, now);
        ++size_;
    }

    /// Takes the requests whose deadlines have passed out of their places: into `rejected`, or
    /// behind everything else.
    void expire(const moment& now, std::vector<Item>& rejected) {
        if (now < earliest_deadline_) return;
        earliest_deadline_ = moment::max();
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
            std::deque<entry> in_time;
            for (auto& each : levels_[level]) {
                if (each.deadline > now) {
                    earliest_deadline_ = std::min(earliest_deadline_, each.deadline);
                    in_time.push_back(std::move(each));
                } else if (late_ == late_request::run_last) {
                    each.deadline = moment::max();
                    levels_.back().push_back(std::move(each));
                } else {
                    rejected.push_back(std::move(each.item));
                    --size_;
                }
            }
            levels_[level] = std::move(in_time);
        }
        find_oldest();
    }

    /// Whether a batch should begin.
    [[nodiscard]] bool due(const moment& now) const noexcept {
        return size_ >= preferred_.front() || (size_ != 0 && now - oldest_ >= delay_);
    }
    /// When to look again, if nothing is pushed before.
    [[nodiscard]] moment next_look() const noexcept {
        const moment patience = size_ == 0 ? moment::max() : oldest_ + delay_;
        return std::min(patience, earliest_deadline_);
    }

    /// The next batch: the largest preferred size that is there; everything, up to the most, when
    /// the oldest request has waited long enough or there is no time to wait (`hurry`).
    template<class Taken>
    void take(const moment& now, bool hurry, const Taken& taken) {
        std::size_t count = std::min(size_, most_);
        if (!hurry && now - oldest_ < delay_) {
            for (const std::size_t preferred : preferred_) {
                if (preferred <= size_) count = preferred;
            }
        }
        for (auto& level : levels_) {
            for (; count != 0 && !level.empty(); --count, --size_) {
                taken(std::move(level.front().item), level.front().arrival);
                level.pop_front();
            }
        }
        find_oldest();
    }

private:
    struct entry {
        Item item;
        moment arrival;
        moment deadline;
    };

    /// Levels are in order of arrival, except the last, where late requests of all meet.
    void find_oldest() noexcept {
        oldest_ = moment::max();
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
            if (!levels_[level].empty())
                oldest_ = std::min(oldest_, levels_[level].front().arrival);
        }
        for (const auto& each : levels_.back())
            oldest_ = std::min(oldest_, each.arrival);
    }

    std::size_t most_;
    std::vector<std::size_t> preferred_;
    std::chrono::nanoseconds delay_;
    std::size_t limit_;
    late_request late_;
    std::vector<std::deque<entry>> levels_; // by priority; the last holds late requests
    std::size_t size_ = 0;
    moment oldest_ = moment::max();
    moment earliest_deadline_ = moment::max(); // or earlier: of a request that has gone
};

} // namespace r9v::inline R9V_ABI::runtime
