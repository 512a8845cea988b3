// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "timeline.hpp"

#include <algorithm>
#include <atomic>

namespace r9v_emulator::clock {
namespace {

constexpr std::size_t most_spans = 20000; ///< the timeline draws no more
constexpr std::size_t most_ends = 4096;
thread_local track* of_this_thread = nullptr;

const char* name_of(copy_way way) {
    switch (way) {
    case copy_way::to_device:
        return "copy to device";
    case copy_way::to_host:
        return "copy to host";
    case copy_way::on_device:
        return "copy on device";
    default:
        return "fill";
    }
}

} // namespace

unsigned track::next_number() {
    static std::atomic<unsigned> next{0};
    return next++;
}

void track::require(double time) {
    if (!timeline::active()) return;
    const std::scoped_lock lock(mutex_);
    ready_ = std::max(ready_, time);
}

double track::ready() const {
    const std::scoped_lock lock(mutex_);
    return ready_;
}

void track::completed(u64 sequence) {
    if (!timeline::active()) return;
    const std::scoped_lock lock(mutex_);
    if (ends_.empty()) first_ = sequence;
    ends_.push_back(ready_);
    if (ends_.size() <= most_ends) return;
    ends_.pop_front();
    ++first_;
}

double track::end_of(u64 sequence) const {
    if (!timeline::active()) return 0;
    const std::scoped_lock lock(mutex_);
    const u64 place = sequence - first_;
    return sequence >= first_ && place < ends_.size() ? ends_[place] : ready_;
}

timeline& timeline::instance() {
    static auto& the_timeline = *new timeline; // outlives streams at work while the process ends
    return the_timeline;
}

track& timeline::current() {
    static auto& nobody = *new track;
    return of_this_thread ? *of_this_thread : nobody;
}

timeline::scope::scope(track& t) : before_(of_this_thread) {
    of_this_thread = &t;
}
timeline::scope::~scope() {
    of_this_thread = before_;
}

double timeline::begin(track& t, double& engine, double gap, double duration, span what) {
    what.track = t.number();
    what.start = std::max(t.ready() + gap, engine);
    what.duration = duration;
    engine = what.start + duration;
    t.require(engine);
    const double start = what.start;
    if (spans_.size() < most_spans) spans_.push_back(std::move(what));
    return start;
}

void timeline::kernel(const card& c, const std::string& name, double microseconds,
                      const std::string& detail) {
    const std::scoped_lock lock(mutex_);
    compute_ = std::max(compute_, next_launch_);
    const double start = begin(current(), compute_, c.arch.kernel_gap_us.mid, microseconds,
                               {.name = name, .detail = detail});
    next_launch_ = start + c.arch.launch_us.mid;
}

void timeline::copy(const card& c, copy_way way, u64 bytes) {
    const auto size = static_cast<double>(bytes);
    const bool host = way == copy_way::to_device || way == copy_way::to_host;
    const double dram = c.dram_gbs * c.arch.dram_share.mid * 1e3; // bytes a microsecond
    const double moved = way == copy_way::on_device ? 2 * size : size;
    const double duration =
        host ? c.arch.copy_start_us.mid + size / (c.pcie_gbs.mid * 1e3) : 1 + moved / dram;
    const std::scoped_lock lock(mutex_);
    double& engine = way == copy_way::to_device ? to_device_
                     : way == copy_way::to_host ? to_host_
                                                : compute_;
    begin(current(), engine, 0, duration,
          {.name = name_of(way), .kernel = false, .detail = std::to_string(bytes) + " bytes"});
}

void timeline::host_reached(double time) {
    if (!active()) return;
    const std::scoped_lock lock(mutex_);
    host_ = std::max(host_, time);
}

double timeline::host_time() const {
    if (!active()) return 0;
    const std::scoped_lock lock(mutex_);
    return host_;
}

std::vector<span> timeline::spans() const {
    const std::scoped_lock lock(mutex_);
    return spans_;
}

void timeline::reset_spans() {
    const std::scoped_lock lock(mutex_);
    spans_.clear();
}

} // namespace r9v_emulator::clock
