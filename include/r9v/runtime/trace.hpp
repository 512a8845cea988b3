// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What ran when, as a file that chrome://tracing and Perfetto open.
#pragma once

#include <r9v/core/config.hpp>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace r9v::inline R9V_ABI::runtime {

/// One stage of one item, in microseconds since the log began.
struct span_of_time {
    int track = 0;
    std::uint64_t item = 0;
    double begin = 0;
    double duration = 0;
};

/// The latest spans, in memory that is reserved once.
class trace_log {
public:
    trace_log() = default;
    explicit trace_log(std::size_t capacity) : spans_(capacity) {}

    [[nodiscard]] bool enabled() const noexcept { return !spans_.empty(); }

    void add(const span_of_time& span) noexcept {
        if (!enabled()) return;
        spans_[count_ % spans_.size()] = span;
        ++count_;
    }

    /// The trace event format's JSON object; `tracks[i]` names track i.
    [[nodiscard]] std::string json(const char* const* tracks, int track_count) const {
        std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
        char line[256];
        for (int i = 0; i < track_count; ++i) {
            std::snprintf(line, sizeof line,
                          "%s\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,"
                          "\"args\":{\"name\":\"%s\"}}",
                          i == 0 ? "" : ",", i + 1, tracks[i]);
            text += line;
        }
        const std::size_t kept = count_ < spans_.size() ? count_ : spans_.size();
        for (std::size_t i = count_ - kept; i < count_; ++i) {
            const span_of_time& span = spans_[i % spans_.size()];
            std::snprintf(line, sizeof line,
                          ",\n{\"name\":\"%s %" PRIu64 "\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,"
                          "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"item\":%" PRIu64 "}}",
                          tracks[span.track], span.item, span.track + 1, span.begin, span.duration,
                          span.item);
            text += line;
        }
        return text + "\n]}\n";
    }

private:
    std::vector<span_of_time> spans_;
    std::size_t count_ = 0;
};

} // namespace r9v::inline R9V_ABI::runtime
