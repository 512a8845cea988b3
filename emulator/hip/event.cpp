// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/event.hpp"

#include "clock/stopwatch.hpp"

namespace r9v_emulator::hip {

void event::record(stream& where, std::span<const ticket> after) {
    auto fresh = std::make_shared<event_record>();
    const auto point = where.submit(record_operation{fresh, nullptr}, after);
    fresh->point = point;
    replace(std::move(fresh));
}

std::shared_ptr<event_record> event::current() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

void event::replace(std::shared_ptr<event_record> record) {
    const std::lock_guard lock(mutex_);
    current_ = std::move(record);
}

event_table& event_table::instance() {
    static auto& table = *new event_table;
    return table;
}

hipEvent_t event_table::create(unsigned flags) {
    auto made = std::make_shared<event>(flags);
    const auto handle = reinterpret_cast<hipEvent_t>(made.get());
    const std::lock_guard lock(mutex_);
    events_.emplace(handle, std::move(made));
    return handle;
}

std::shared_ptr<event> event_table::find(hipEvent_t handle) {
    const std::lock_guard lock(mutex_);
    const auto found = events_.find(handle);
    return found == events_.end() ? nullptr : found->second;
}

bool event_table::destroy(hipEvent_t handle) {
    const std::lock_guard lock(mutex_);
    return events_.erase(handle) != 0;
}

float elapsed_milliseconds(const event_record& from, const event_record& to) {
    if (clock::stopwatch::instance().on())
        return static_cast<float>((to.modelled.load() - from.modelled.load()) / 1e3);
    const std::chrono::duration<float, std::milli> between = to.stamp.load() - from.stamp.load();
    return between.count();
}

} // namespace r9v_emulator::hip
