// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Two pieces of work beside each other: a stream forks and joins again. Also inside a capture,
// where it makes two branches of the graph.
#pragma once

#include <r9v/runtime/event.hpp>
#include <r9v/runtime/stage.hpp>

#if R9V_GPU

#include <optional>
#include <utility>

namespace r9v::inline R9V_ABI {

/// The two events of a fork, to be used again and again. One fork at a time; the streams order it.
class fork_events {
public:
    fork_events() = default;

    [[nodiscard]] platform::event_handle begin() const noexcept { return begin_.handle(); }
    [[nodiscard]] platform::event_handle end() const noexcept { return end_.handle(); }

private:
    event begin_;
    event end_;
};

/// Calls f(main) and g(side), so that what g queues begins after what is in `main` now, and what is
/// queued on `main` afterwards waits for both. f and g may return a status. When either fails, the
/// streams are joined all the same, and the first failure is answered.
template<class First, class Second>
[[nodiscard]] status try_overlap(const fork_events& events, platform::stream_handle main,
                                 platform::stream_handle side, First&& f, Second&& g) noexcept;

/// try_overlap that throws: what f or g threw, or r9v::error.
template<class First, class Second>
void overlap(const fork_events& events, platform::stream_handle main, platform::stream_handle side,
             First&& f, Second&& g);

namespace runtime {

template<class First, class Second>
std::optional<stage_failure> fork_and_join(const fork_events& events, platform::stream_handle main,
                                           platform::stream_handle side, First& f,
                                           Second& g) noexcept {
    const auto failed = [](platform::result code,
                           const char* what) -> std::optional<stage_failure> {
        if (code == platform::success) return std::nullopt;
        return stage_failure{platform::check(code, what).error(), nullptr};
    };
    if (auto failure = failed(platform::event_record(events.begin(), main), "event record"))
        return failure;
    if (auto failure = failed(platform::stream_wait(side, events.begin()), "event wait"))
        return failure;
    auto first = run_stage("the fork's main part", [&] { return f(main); });
    auto second = run_stage("the fork's side part", [&] { return g(side); });
    auto joined = failed(platform::event_record(events.end(), side), "event record");
    if (!joined) joined = failed(platform::stream_wait(main, events.end()), "event wait");
    if (first) return first;
    return second ? second : joined;
}

} // namespace runtime

template<class First, class Second>
status try_overlap(const fork_events& events, platform::stream_handle main,
                   platform::stream_handle side, First&& f, Second&& g) noexcept {
    if (auto failure = runtime::fork_and_join(events, main, side, f, g)) return failure->reason;
    return {};
}

template<class First, class Second>
void overlap(const fork_events& events, platform::stream_handle main, platform::stream_handle side,
             First&& f, Second&& g) {
    if (auto failure = runtime::fork_and_join(events, main, side, f, g)) failure->raise();
}

/// The same with events of its own, which costs their making: for start-up and captures.
template<class First, class Second>
void overlap(platform::stream_handle main, platform::stream_handle side, First&& f, Second&& g) {
    const fork_events events;
    overlap(events, main, side, std::forward<First>(f), std::forward<Second>(g));
}

template<class First, class Second>
void overlap(const stream& main, const stream& side, First&& f, Second&& g) {
    overlap(main.handle(), side.handle(), std::forward<First>(f), std::forward<Second>(g));
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
