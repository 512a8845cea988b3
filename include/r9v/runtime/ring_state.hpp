// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The order of an overlap ring's items: who may have a slot, what is issued next, what is done, and
// what failed. It knows no device; futures share it, so that they outlive the ring.
//
// Items are numbered. Item n uses slot n mod slots, and items begin, are issued and end in the
// order of their numbers, so that three counters say everything: ended <= issued <= begun <= ended
// + slots.
#pragma once

#include <r9v/core/error.hpp>
#include <r9v/runtime/stage.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI::runtime {

class ring_state;

/// The ring whose stage this thread is running, if any: waiting for it here would never end.
inline thread_local const ring_state* stage_of = nullptr;

class ring_state {
public:
    using clock = std::chrono::steady_clock;
    using moment = clock::time_point;
    static constexpr int most_slots = 8;

    enum class turn { given, full, refused };

    explicit ring_state(int slot_count) : slots_{static_cast<std::uint64_t>(slot_count)} {
        failures_.reserve(2 * most_slots);
    }

    // ---- producers

    /// Waits for a free slot until `deadline`, and numbers an item. `refusal` says why not.
    turn begin(const moment& deadline, std::uint64_t& item, status& refusal) noexcept {
        std::unique_lock lock(mutex_);
        const auto free_or_closed = [&] {
            return closed_ || begun_ - ended_ < slots_;
        };
        if (!free_or_closed()) {
            if (deadline == moment::min()) return turn::full;
            if (stage_of == this) {
                refusal = waits_for_itself();
                return turn::refused;
            }
            ++stalls_;
            const auto since = clock::now();
            if (deadline == moment::max()) {
                changed_.wait(lock, free_or_closed);
            } else {
                changed_.wait_until(lock, deadline, free_or_closed);
            }
            stalled_ += clock::now() - since;
        }
        if (closed_) {
            refusal = why_closed();
            return turn::refused;
        }
        if (begun_ - ended_ >= slots_) return turn::full;
        item = begun_++;
        at(item) = {};
        return turn::given;
    }

    /// The item is filled. True makes the caller the one who issues, from next_to_issue() on.
    bool filled(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        at(item).filled = true;
        if (issuing_ || item != issued_) return false; // its turn comes in issued()
        issuing_ = true;
        return true;
    }
    std::uint64_t next_to_issue() noexcept {
        const std::lock_guard lock(mutex_);
        return issued_;
    }
    /// Whether the item that is to be issued now was cancelled.
    bool cancelled(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        return at(item).cancelled;
    }
    /// The item is issued. True when `item + 1` is filled too, and the caller issues it next.
    bool issued(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        issued_ = item + 1;
        issuing_ = issued_ < begun_ && at(issued_).filled;
        changed_.notify_all();
        return issuing_;
    }

    // ---- the thread that ends items

    /// Waits for the next issued item; false when the ring is closed for good and empty.
    bool next_to_end(std::uint64_t& item) noexcept {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ < issued_ || (finished_ && ended_ == begun_); });
        item = ended_;
        return ended_ < issued_;
    }
    /// From here on the item cannot be cancelled; false when it was.
    bool begin_consuming(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        if (at(item).cancelled) return false;
        at(item).consuming = true;
        return true;
    }
    /// The item is done; a failure closes the ring.
    void end(std::uint64_t item, std::optional<stage_failure>&& failure) noexcept {
        const std::lock_guard lock(mutex_);
        if (failure) {
            closed_ = true;
            ++failed_;
            keep(item, std::move(*failure));
        } else if (at(item).cancelled) {
            ++cancelled_;
            keep(item, {error{"r9v: the item was cancelled. Submit it again if its result is "
                              "needed."},
                        nullptr});
        }
        ended_ = item + 1;
        changed_.notify_all();
    }

    // ---- futures

    bool done(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        return item < ended_;
    }
    /// Whether it is done at `deadline`; refused to a stage of the same ring.
    status wait(std::uint64_t item, const moment& deadline, bool& done) noexcept {
        std::unique_lock lock(mutex_);
        const auto reached = [&] {
            return item < ended_;
        };
        if (!reached() && stage_of == this) return waits_for_itself();
        if (deadline == moment::max()) {
            changed_.wait(lock, reached);
        } else {
            changed_.wait_until(lock, deadline, reached);
        }
        done = reached();
        return {};
    }
    /// How the item failed, once; nothing if it did not.
    std::optional<stage_failure> take_failure(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(failures_.begin(), failures_.end(),
                                        [&](const auto& f) { return f.first == item; });
        if (found == failures_.end()) return std::nullopt;
        std::optional<stage_failure> result{std::move(found->second)};
        failures_.erase(found);
        return result;
    }
    /// Nobody will ask how the item ended.
    void forget(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        if (item < ended_) {
            std::erase_if(failures_, [&](const auto& f) { return f.first == item; });
        } else {
            at(item).forgotten = true;
        }
    }
    bool cancel(std::uint64_t item) noexcept {
        const std::lock_guard lock(mutex_);
        if (item < ended_ || at(item).consuming) return false;
        at(item).cancelled = true;
        return true;
    }

    // ---- the owner

    /// No more items; those that have begun go on.
    void close() noexcept {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    void cancel_all() noexcept {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        for (auto item = ended_; item < begun_; ++item) {
            if (!at(item).consuming) at(item).cancelled = true;
        }
        changed_.notify_all();
    }
    /// close(), for good: next_to_end() answers false once everything has ended.
    void finish() noexcept {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        finished_ = true;
        changed_.notify_all();
    }
    status drain() noexcept {
        std::unique_lock lock(mutex_);
        if (ended_ != begun_ && stage_of == this) return waits_for_itself();
        changed_.wait(lock, [&] { return ended_ == begun_; });
        return {};
    }
    status reopen() noexcept {
        if (status drained = drain(); !drained) return drained;
        const std::lock_guard lock(mutex_);
        closed_ = finished_;
        return {};
    }
    [[nodiscard]] bool open() noexcept {
        const std::lock_guard lock(mutex_);
        return !closed_;
    }

    struct counts {
        std::uint64_t begun, ended, failed, cancelled, stalls;
        double stalled_seconds;
    };
    [[nodiscard]] counts count() noexcept {
        const std::lock_guard lock(mutex_);
        return {begun_,     ended_,  failed_,
                cancelled_, stalls_, std::chrono::duration<double>(stalled_).count()};
    }

private:
    struct progress {
        bool filled = false;
        bool consuming = false;
        bool cancelled = false;
        bool forgotten = false;
    };

    progress& at(std::uint64_t item) noexcept { return progress_[item % slots_]; }

    void keep(std::uint64_t item, stage_failure&& failure) noexcept {
        if (!at(item).forgotten) failures_.emplace_back(item, std::move(failure));
    }
    [[nodiscard]] status why_closed() const noexcept {
        if (failed_ != 0)
            return error{"r9v: the ring takes no more items since one has failed. Call get() on "
                         "its future for the reason, then restart()."};
        return error{"r9v: the ring is closed. restart() it, or make another."};
    }
    [[nodiscard]] static status waits_for_itself() noexcept {
        return error{"r9v: a stage waits for its own ring, which waits for the stage. Submit with "
                     "submit_now(), and wait outside of the stages."};
    }

    const std::uint64_t slots_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::array<progress, most_slots> progress_{};
    std::uint64_t begun_ = 0;
    std::uint64_t issued_ = 0;
    std::uint64_t ended_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t cancelled_ = 0;
    std::uint64_t stalls_ = 0;
    clock::duration stalled_{};
    bool issuing_ = false;
    bool closed_ = false;
    bool finished_ = false;
    std::vector<std::pair<std::uint64_t, stage_failure>> failures_; // few: a failure ends intake
};

} // namespace r9v::inline R9V_ABI::runtime
