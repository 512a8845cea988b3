// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/deferral.hpp"

#include "hip/runtime.hpp"
#include "hip/stream.hpp"
#include <chrono>
#include <thread>

namespace r9v_emulator::hip {
namespace {

/// Long for the host, so that it is seldom a race with the program's own waits.
constexpr std::chrono::milliseconds patience{5};

} // namespace

deferral& deferral::instance() {
    static auto& the_deferral = *new deferral;
    return the_deferral;
}

bool deferral::wanted() {
    return runtime::instance().seed() != 0;
}

std::uint64_t deferral::next_random() {
    const std::lock_guard lock(mutex_);
    if (random_ == 0) random_ = runtime::instance().seed();
    // SplitMix64, Steele, Lea and Flood 2014.
    std::uint64_t x = random_ += 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

void deferral::expect_progress() {
    const std::lock_guard lock(mutex_);
    left_alone_ = true;
    queued_.notify_one();
    if (keeper_runs_) return;
    keeper_runs_ = true;
    std::thread([this] { keep_going(); }).detach();
}

bool deferral::step() {
    auto streams = stream_table::instance().unfinished();
    while (!streams.empty()) {
        const auto chosen = static_cast<std::ptrdiff_t>(next_random() % streams.size());
        if (streams[static_cast<std::size_t>(chosen)]->start_next()) {
            ++steps_;
            return true;
        }
        streams.erase(streams.begin() + chosen);
    }
    return false;
}

void deferral::glance() {
    if (wanted() && next_random() % 2 == 0) step();
}

/// A thread's work: as long as nobody takes steps, takes them.
void deferral::keep_going() {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            queued_.wait(lock, [&] { return left_alone_; });
            left_alone_ = false;
        }
        for (bool unfinished = true; unfinished;) {
            const auto before = steps_.load();
            std::this_thread::sleep_for(patience);
            if (steps_.load() == before) step();
            unfinished = !stream_table::instance().unfinished().empty();
        }
    }
}

} // namespace r9v_emulator::hip
