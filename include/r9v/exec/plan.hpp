// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Plans: a fixed sequence of device work, captured once as a graph and replayed with one call.
#pragma once

#include <r9v/exec/launch.hpp>
#include <r9v/exec/plan_step.hpp>
#include <r9v/runtime/event.hpp>
#include <r9v/runtime/graph.hpp>

#if R9V_GPU

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI {

struct plan_options {
    /// Where a graph ends and the next begins, in nodes; 0 for one graph whatever its length. A
    /// step is never split.
    std::size_t most_nodes = 0;
    /// What cannot be captured is queued step by step at each replay; else it is an error.
    bool eager_fallback = true;
};

struct plan_statistics {
    std::uint64_t replays = 0;
    std::uint64_t eager_replays = 0; ///< of these
    std::uint64_t updates = 0;       ///< of steps
    std::uint64_t captures = 0;      ///< 1, unless steps were added or changed their shape
    std::size_t graphs = 0;
    std::size_t nodes = 0;
};

/// A sequence of steps: prepared programs, kernels, copies and fills as values (call(), copy_call,
/// fill_call), and functions of a stream. The first replay captures it. Steps that are values can
/// be changed afterwards, pointers and scalars alike, without another capture.
///
/// Replays of one plan never overlap, whatever streams they are on: it uses the same memory each
/// time. Memory that steps use must live as long as the plan: keep() and use() see to that. The
/// destructor waits for the last replay and throws nothing. One thread at a time; one device.
class plan {
public:
    /// Throws r9v::error when the runtime refuses a stream or an event.
    explicit plan(const plan_options& options = {}) : options_{options} {}
    plan(const plan&) = delete;
    plan& operator=(const plan&) = delete;
    ~plan() { drop_graphs(); }

#if R9V_HAS_KERNELS
    template<class Program>
    plan_step<prepared<Program>> add(const prepared<Program>& program,
                                     const workspace& scratch = {}) {
        return {append<exec::held_step<exec::planned<Program>>>(
            exec::planned<Program>{program, scratch})};
    }
    /// Prepares the program first. Throws r9v::error when it cannot run.
    template<exec::launchable T>
    plan_step<prepared<exec::program_of<T>>> add(const T& program, const workspace& scratch = {}) {
        return add(prepare(program), scratch);
    }
    /// From the next replay on. Throws r9v::error when the step is not one of this plan.
    template<class Program>
    void update(plan_step<prepared<Program>> step, const prepared<Program>& program,
                const workspace& scratch = {},
                const std::source_location& where = std::source_location::current()) {
        throw_if_failed(try_update(step, program, scratch).at(where));
    }
    template<class Program>
    [[nodiscard]] status try_update(plan_step<prepared<Program>> step,
                                    const prepared<Program>& program,
                                    const workspace& scratch = {}) noexcept {
        return change<exec::planned<Program>>(step.index, {program, scratch});
    }
    /// Prepares the program first. Throws r9v::error when it cannot run; then nothing changed.
    template<exec::launchable T>
    void update(plan_step<prepared<exec::program_of<T>>> step, const T& program,
                const workspace& scratch = {},
                const std::source_location& where = std::source_location::current()) {
        update(step, prepare(program, where), scratch, where);
    }
#endif
    /// A kernel, copy or fill as a value.
    template<exec::sendable Work>
    plan_step<Work> add(const Work& work) {
        return {append<exec::held_step<Work>>(work)};
    }
    template<exec::sendable Work>
    void update(plan_step<Work> step, const Work& work,
                const std::source_location& where = std::source_location::current()) {
        throw_if_failed(try_update(step, work).at(where));
    }
    template<exec::sendable Work>
    [[nodiscard]] status try_update(plan_step<Work> step, const Work& work) noexcept {
        return change<Work>(step.index, work);
    }
    /// A function of a stream, which queues work there and may return a status. A capture may call
    /// it more than once, each replay of an eager plan calls it once.
    template<class Function>
        requires std::is_invocable_v<std::decay_t<Function>&, platform::stream_handle>
    void add(Function&& f) {
        append<exec::callable_step<std::decay_t<Function>>>(std::forward<Function>(f));
    }

    /// `owner` lives as long as the plan: buffers whose memory the steps use.
    template<class T>
    void keep(T&& owner) {
        keepers_.push_back(std::make_unique<exec::kept<std::decay_t<T>>>(std::forward<T>(owner)));
    }
    /// What steps allocate from `pool` on their stream during the capture stays the plan's. The
    /// pool must outlive the plan.
    template<class Pool>
    void use(Pool& pool) {
        keepers_.push_back(std::make_unique<exec::pool_keeper<Pool>>(pool));
    }

    /// Captures now instead of at the first replay. Throws r9v::error when it cannot be captured
    /// and eager_fallback is off.
    void capture(const std::source_location& where = std::source_location::current()) {
        throw_if_failed(try_capture().at(where));
    }
    [[nodiscard]] status try_capture() noexcept;

    /// Queues everything on `s`. Into a stream that is itself captured, the steps are queued one by
    /// one. Throws r9v::error.
    void replay(platform::stream_handle s,
                const std::source_location& where = std::source_location::current()) {
        throw_if_failed(try_replay(s).at(where));
    }
    void replay(const stream& s,
                const std::source_location& where = std::source_location::current()) {
        replay(s.handle(), where);
    }
    [[nodiscard]] status try_replay(platform::stream_handle s) noexcept;

    /// Whether replays launch a graph. Known after capture() or the first replay.
    [[nodiscard]] bool captured() const noexcept { return state_ == state::captured; }
    /// Why they do not; empty otherwise.
    [[nodiscard]] const char* eager_reason() const noexcept { return reason_.what(); }
    [[nodiscard]] plan_statistics statistics() const noexcept {
        plan_statistics result = counts_;
        result.graphs = graphs_.size();
        for (const auto& each : graphs_)
            result.nodes += each.nodes();
        return result;
    }

private:
    enum class state { stale, captured, eager };

    template<class Step, class... Arguments>
    int append(Arguments&&... arguments) {
        steps_.push_back(std::make_unique<Step>(std::forward<Arguments>(arguments)...));
        state_ = state::stale;
        return static_cast<int>(steps_.size()) - 1;
    }

    template<class Work>
    status change(int index, const Work& work) noexcept {
        const auto place = static_cast<std::size_t>(index);
        if (index < 0 || place >= steps_.size() || steps_[place]->kind != &exec::kind_of<Work>)
            return error{
                "r9v: step %d of this plan is not what is changed. Update a step with what "
                "add() of the same plan returned for it.",
                index};
        exec::step& changed = *steps_[place];
        static_cast<exec::held_step<Work>&>(changed).hold(work);
        ++counts_.updates;
        if (state_ != state::captured) return {};
        const auto& graph = graphs_[static_cast<std::size_t>(changed.graph)];
        // Another tile or number of fills may not fit into the captured nodes.
        if (!changed.change(graph.exec())) state_ = state::stale;
        return {};
    }

    status capture_with(std::size_t bytes) noexcept;
    status capture_steps() noexcept;
    status capture_graph(std::size_t& next) noexcept;
    status step_failed(std::size_t index, const error& reason) const noexcept;
    status enqueue(platform::stream_handle s) noexcept;
    void drop_graphs() noexcept;

    // Keepers go last, after the graphs and the wait for them; the stream, in whose order pools
    // keep memory, after the keepers.
    stream capture_stream_;
    event replayed_{};
    bool has_run_ = false;
    plan_options options_;
    std::vector<std::unique_ptr<exec::keeper>> keepers_;
    std::vector<std::unique_ptr<exec::step>> steps_;
    std::vector<runtime::recorded_graph> graphs_;
    state state_ = state::stale;
    std::size_t shortage_ = 0;
    error reason_;
    plan_statistics counts_;
};

inline void plan::drop_graphs() noexcept {
    if (has_run_) (void)platform::event_synchronize(replayed_.handle());
    graphs_.clear();
}

inline status plan::try_capture() noexcept {
    if (state_ != state::stale) return {};
    drop_graphs();
    reason_ = {};
    status captured = capture_with(0);
    // A step that ran out of the pool's memory did not say how much is to come.
    std::size_t bytes = 0;
    for (int tries = 0; !captured && shortage_ != 0 && tries < 12; ++tries) {
        bytes = std::max(2 * bytes, shortage_);
        captured = capture_with(bytes);
    }
    if (captured) {
        state_ = state::captured;
        ++counts_.captures;
        return {};
    }
    graphs_.clear();
    if (!options_.eager_fallback) return captured;
    reason_ = captured.error();
    state_ = state::eager;
    return {};
}

/// One attempt, with so many bytes of each pool in use set aside.
inline status plan::capture_with(std::size_t bytes) noexcept {
    graphs_.clear();
    shortage_ = 0;
    status captured;
    for (auto& each : keepers_) {
        if (captured) captured = each->open(capture_stream_.handle(), bytes);
    }
    if (captured) captured = capture_steps();
    for (auto& each : keepers_)
        each->close();
    return captured;
}

inline status plan::capture_steps() noexcept {
    for (std::size_t next = 0; next < steps_.size();) {
        if (status captured = capture_graph(next); !captured) return captured;
    }
    return {};
}

/// Captures one graph from step `next` on, and moves `next` behind it.
inline status plan::capture_graph(std::size_t& next) noexcept {
    const auto s = capture_stream_.handle();
    if (const auto begun = platform::capture_begin(s); begun != platform::success)
        return platform::check(begun, "the capture of a plan");
    status outcome;
    const std::size_t first = next;
    for (bool full = false; !full && next < steps_.size() && outcome; ++next) {
        const auto failed = steps_[next]->capture(s);
        auto state = platform::capture_state::none;
        (void)platform::capture_query(s, &state);
        if (failed) {
            outcome = step_failed(next, failed->reason);
            shortage_ = exec::shortage_of(*failed);
        } else if (state != platform::capture_state::active) {
            outcome = step_failed(next, error{"it made a call that the runtime refuses during a "
                                              "capture"});
        }
        steps_[next]->graph = static_cast<int>(graphs_.size());
        full = options_.most_nodes != 0 && platform::capture_node_count(s) >= options_.most_nodes;
    }
    runtime::recorded_graph graph;
    const auto ended = graph.end_capture(s);
    if (ended != platform::success || !outcome) (void)platform::take_last_error();
    if (!outcome) return outcome;
    if (ended != platform::success)
        return error{"r9v: steps %zu to %zu cannot be captured: %s. Join what a step queues on "
                     "other streams (overlap() does), or let the plan run eagerly.",
                     first, next - 1, platform::text(ended)};
    graphs_.push_back(std::move(graph));
    return {};
}

inline status plan::step_failed(std::size_t index, const error& reason) const noexcept {
    const char* text = reason.what();
    if (std::strncmp(text, "r9v: ", 5) == 0) text += 5;
    return error{"r9v: step %zu cannot be captured: %.250s Do it before the plan, or let the plan "
                 "run eagerly.",
                 index, text};
}

inline status plan::enqueue(platform::stream_handle s) noexcept {
    for (auto& each : steps_) {
        if (auto failed = each->enqueue(s)) return failed->reason;
    }
    return {};
}

inline status plan::try_replay(platform::stream_handle s) noexcept {
    auto capturing = platform::capture_state::none;
    (void)platform::capture_query(s, &capturing);
    if (capturing != platform::capture_state::none) return enqueue(s);
    if (status ready = try_capture(); !ready) return ready;
    if (has_run_) {
        if (const auto waits = platform::stream_wait(s, replayed_.handle());
            waits != platform::success)
            return platform::check(waits, "event wait");
    }
    status queued;
    if (state_ == state::eager) {
        queued = enqueue(s);
        ++counts_.eager_replays;
    } else {
        for (const auto& each : graphs_) {
            if (queued) queued = platform::check(each.launch(s), "graph launch");
        }
    }
    ++counts_.replays;
    has_run_ = true; // also after a failure: some of it may be queued
    const auto marked = platform::event_record(replayed_.handle(), s);
    return queued ? platform::check(marked, "event record") : queued;
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
