// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/capture.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_set>
#include <utility>

namespace r9v_emulator::hip {
namespace {

std::atomic<int> active = 0;
thread_local hipStreamCaptureMode thread_mode = hipStreamCaptureModeGlobal;

std::vector<std::shared_ptr<capture>>& captures() {
    static auto& all = *new std::vector<std::shared_ptr<capture>>;
    return all;
}

hipError_t invalidate(capture& sequence, hipError_t reason) {
    sequence.valid = false;
    return reason;
}

void finish(const std::shared_ptr<capture>& sequence) {
    for (const auto& member : sequence->members) {
        member->capturing = nullptr;
        member->frontier.clear();
    }
    std::erase(captures(), sequence);
    active.store(static_cast<int>(captures().size()));
}

/// A fork is joined when its last nodes lead to a node of the origin's frontier.
bool joined(const capture& sequence) {
    std::vector<hipGraphNode_t> reached = sequence.origin->frontier;
    std::unordered_set<hipGraphNode_t> known(reached.begin(), reached.end());
    for (std::size_t next = 0; next < reached.size(); ++next) {
        for (auto* const before : reached[next]->before) {
            if (known.insert(before).second) reached.push_back(before);
        }
    }
    return known.size() == sequence.graph->nodes.size();
}

} // namespace

std::mutex& capture_mutex() {
    static auto& mutex = *new std::mutex;
    return mutex;
}

bool captures_active() {
    return active.load(std::memory_order_relaxed) != 0;
}

hipError_t begin_capture(const std::shared_ptr<stream>& origin, hipStreamCaptureMode mode) {
    const std::lock_guard lock(capture_mutex());
    if (origin->legacy()) return hipErrorStreamCaptureUnsupported;
    if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed) {
        return hipErrorInvalidValue;
    }
    if (origin->capturing) return hipErrorIllegalState;
    static unsigned long long next_id = 0;
    auto sequence = std::make_shared<capture>();
    sequence->graph = std::make_shared<ihipGraph>();
    sequence->mode = mode;
    sequence->thread = std::this_thread::get_id();
    sequence->origin = origin.get();
    sequence->id = ++next_id;
    sequence->members.push_back(origin);
    origin->capturing = sequence;
    origin->frontier.clear();
    captures().push_back(std::move(sequence));
    active.store(static_cast<int>(captures().size()));
    return hipSuccess;
}

hipError_t end_capture(stream& origin, std::shared_ptr<ihipGraph>& graph) {
    const std::lock_guard lock(capture_mutex());
    const auto sequence = origin.capturing;
    if (!sequence) return hipErrorIllegalState;
    if (sequence->origin != &origin) {
        return invalidate(*sequence, hipErrorStreamCaptureUnmatched);
    }
    if (sequence->mode != hipStreamCaptureModeRelaxed &&
        sequence->thread != std::this_thread::get_id()) {
        return hipErrorStreamCaptureWrongThread;
    }
    const bool complete = joined(*sequence);
    finish(sequence);
    if (!sequence->valid) return hipErrorStreamCaptureInvalidated;
    if (!complete) return hipErrorStreamCaptureUnjoined;
    graph = sequence->graph;
    return hipSuccess;
}

std::optional<hipError_t> capture_work(stream& target, hipGraphNodeType type,
                                       const operation& work) {
    if (!captures_active()) return std::nullopt;
    const std::lock_guard lock(capture_mutex());
    if (const auto& sequence = target.capturing) {
        if (!sequence->valid) return hipErrorStreamCaptureInvalidated;
        if (std::holds_alternative<callback_operation>(work) ||
            std::holds_alternative<release_operation>(work)) {
            return invalidate(*sequence, hipErrorStreamCaptureUnsupported);
        }
        auto* const node = sequence->graph->add(type, work, target.frontier);
        target.frontier.assign(1, node);
        return hipSuccess;
    }
    if (!target.legacy()) return std::nullopt;
    for (const auto& sequence : captures()) {
        if (sequence->mode != hipStreamCaptureModeRelaxed && sequence->origin->blocking()) {
            return invalidate(*sequence, hipErrorStreamCaptureImplicit);
        }
    }
    return std::nullopt;
}

std::optional<hipError_t> capture_record(stream& target, event& mark) {
    if (!captures_active()) return std::nullopt;
    const std::lock_guard lock(capture_mutex());
    if (!target.capturing) {
        mark.captured.reset();
        return std::nullopt;
    }
    if (!target.capturing->valid) return hipErrorStreamCaptureInvalidated;
    mark.captured = target.capturing;
    mark.captured_nodes = target.frontier;
    return hipSuccess;
}

std::optional<hipError_t> capture_wait(const std::shared_ptr<stream>& target, event& mark) {
    if (!captures_active()) return std::nullopt;
    const std::lock_guard lock(capture_mutex());
    const auto from = mark.captured.lock();
    const auto& into = target->capturing;
    if (!from && !into) return std::nullopt;
    if (!from) return invalidate(*into, hipErrorStreamCaptureIsolation);
    if (target->legacy()) return invalidate(*from, hipErrorStreamCaptureImplicit);
    if (into && into != from) {
        into->valid = false;
        return invalidate(*from, hipErrorStreamCaptureMerge);
    }
    if (!from->valid) return hipErrorStreamCaptureInvalidated;
    if (!into) {
        target->capturing = from;
        target->frontier.clear();
        from->members.push_back(target);
    }
    for (auto* const node : mark.captured_nodes) {
        if (std::ranges::find(target->frontier, node) == target->frontier.end()) {
            target->frontier.push_back(node);
        }
    }
    return hipSuccess;
}

hipError_t refuse_unsafe_call() {
    if (!captures_active() || thread_mode == hipStreamCaptureModeRelaxed) return hipSuccess;
    const std::lock_guard lock(capture_mutex());
    auto result = hipSuccess;
    for (const auto& sequence : captures()) {
        const bool own = sequence->thread == std::this_thread::get_id();
        const bool forbids = (own && sequence->mode != hipStreamCaptureModeRelaxed) ||
                             (sequence->mode == hipStreamCaptureModeGlobal &&
                              thread_mode == hipStreamCaptureModeGlobal);
        if (forbids) result = invalidate(*sequence, hipErrorStreamCaptureUnsupported);
    }
    return result;
}

hipError_t refuse_while_capturing(stream& target) {
    if (!captures_active()) return hipSuccess;
    const std::lock_guard lock(capture_mutex());
    if (target.capturing) return invalidate(*target.capturing, hipErrorStreamCaptureUnsupported);
    if (!target.legacy()) return hipSuccess;
    for (const auto& sequence : captures()) {
        if (sequence->mode != hipStreamCaptureModeRelaxed && sequence->origin->blocking()) {
            return invalidate(*sequence, hipErrorStreamCaptureImplicit);
        }
    }
    return hipSuccess;
}

hipError_t refuse_captured(event& mark) {
    if (!captures_active()) return hipSuccess;
    const std::lock_guard lock(capture_mutex());
    const auto sequence = mark.captured.lock();
    return sequence ? invalidate(*sequence, hipErrorCapturedEvent) : hipSuccess;
}

hipError_t refuse_device_wait() {
    if (!captures_active()) return hipSuccess;
    const std::lock_guard lock(capture_mutex());
    for (const auto& sequence : captures())
        sequence->valid = false;
    return captures().empty() ? hipSuccess : hipErrorStreamCaptureUnsupported;
}

capture_status status_of(stream& target) {
    const std::lock_guard lock(capture_mutex());
    capture_status result;
    if (!target.capturing) return result;
    const auto& sequence = *target.capturing;
    result.status =
        sequence.valid ? hipStreamCaptureStatusActive : hipStreamCaptureStatusInvalidated;
    result.id = sequence.id;
    result.graph = sequence.graph.get();
    result.frontier = &target.frontier;
    return result;
}

hipError_t update_frontier(stream& target, std::span<const hipGraphNode_t> nodes, bool replace) {
    const std::lock_guard lock(capture_mutex());
    if (!target.capturing) return hipErrorIllegalState;
    for (const auto* const node : nodes) {
        if (!target.capturing->graph->holds(node)) return hipErrorInvalidValue;
    }
    if (replace) target.frontier.clear();
    target.frontier.insert(target.frontier.end(), nodes.begin(), nodes.end());
    return hipSuccess;
}

hipStreamCaptureMode exchange_thread_mode(hipStreamCaptureMode mode) {
    return std::exchange(thread_mode, mode);
}

void abandon_capture(stream& target) {
    if (!captures_active()) return;
    const std::lock_guard lock(capture_mutex());
    const auto sequence = target.capturing;
    if (!sequence) return;
    sequence->valid = false;
    if (sequence->origin == &target) finish(sequence);
}

} // namespace r9v_emulator::hip
