// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Captured graphs that own themselves, and the sinks that fill and change them.
#pragma once

#include <r9v/platform/graph.hpp>
#include <r9v/runtime/work_sink.hpp>

#if R9V_GPU

#include <cstddef>
#include <utility>
#include <vector>

namespace r9v::inline R9V_ABI::runtime {

/// A captured graph that can be launched.
class recorded_graph {
public:
    recorded_graph() = default;
    recorded_graph(recorded_graph&& other) noexcept
        : graph_{std::exchange(other.graph_, nullptr)},
          exec_{std::exchange(other.exec_, nullptr)},
          nodes_{other.nodes_} {}
    recorded_graph& operator=(recorded_graph&& other) noexcept {
        std::swap(graph_, other.graph_);
        std::swap(exec_, other.exec_);
        std::swap(nodes_, other.nodes_);
        return *this;
    }
    recorded_graph(const recorded_graph&) = delete;
    recorded_graph& operator=(const recorded_graph&) = delete;
    ~recorded_graph() {
        if (exec_ != nullptr) (void)platform::graph_exec_destroy(exec_);
        if (graph_ != nullptr) (void)platform::graph_destroy(graph_);
    }

    /// Ends the capture on `s` and makes it launchable.
    platform::result end_capture(platform::stream_handle s) noexcept {
        auto code = platform::capture_end(s, &graph_);
        if (code == platform::success) code = platform::graph_node_count(graph_, &nodes_);
        // A graph without nodes has nothing to launch, and not every runtime takes it.
        if (code == platform::success && nodes_ != 0)
            code = platform::graph_instantiate(&exec_, graph_);
        return code;
    }
    platform::result launch(platform::stream_handle s) const noexcept {
        return exec_ == nullptr ? platform::success : platform::graph_launch(exec_, s);
    }
    [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
    [[nodiscard]] platform::graph_exec_handle exec() const noexcept { return exec_; }

private:
    platform::graph_handle graph_ = nullptr; // kept: its nodes name those of exec_
    platform::graph_exec_handle exec_ = nullptr;
    std::size_t nodes_ = 0;
};

/// Queues on a captured stream and notes the node of each piece.
class capture_sink final : public work_sink {
public:
    capture_sink(platform::stream_handle s, std::vector<platform::graph_node>& nodes) noexcept
        : stream_{s},
          queue_{s},
          nodes_{nodes} {}

    platform::result fill(void* to, std::size_t pitch, int byte, std::size_t width,
                          std::size_t rows) noexcept override {
        return noted(queue_.fill(to, pitch, byte, width, rows));
    }
    platform::result copy(void* to, const void* from, std::size_t bytes,
                          bool to_host) noexcept override {
        return noted(queue_.copy(to, from, bytes, to_host));
    }
    platform::result kernel(const void* kernel, unsigned blocks, unsigned threads,
                            void** arguments) noexcept override {
        return noted(queue_.kernel(kernel, blocks, threads, arguments));
    }

private:
    platform::result noted(platform::result code) noexcept {
        platform::graph_node tail = nullptr;
        if (code == platform::success) code = platform::capture_tail(stream_, &tail);
        nodes_.push_back(tail);
        return code;
    }

    platform::stream_handle stream_;
    stream_sink queue_;
    std::vector<platform::graph_node>& nodes_;
};

/// Puts work into the nodes that a capture_sink noted. Changes what is launched from now on.
class update_sink final : public work_sink {
public:
    update_sink(platform::graph_exec_handle exec,
                const std::vector<platform::graph_node>& nodes) noexcept
        : exec_{exec},
          nodes_{nodes} {}

    platform::result fill(void* to, std::size_t pitch, int byte, std::size_t width,
                          std::size_t rows) noexcept override {
        const bool flat = rows == 1 || pitch == width;
        return put([&](platform::graph_node node) {
            return flat ? platform::graph_set_fill(exec_, node, to, 0, byte, width * rows, 1)
                        : platform::graph_set_fill(exec_, node, to, pitch, byte, width, rows);
        });
    }
    platform::result copy(void* to, const void* from, std::size_t bytes,
                          bool to_host) noexcept override {
        return put([&](platform::graph_node node) {
            return platform::graph_set_copy(exec_, node, to, from, bytes, to_host);
        });
    }
    platform::result kernel(const void* kernel, unsigned blocks, unsigned threads,
                            void** arguments) noexcept override {
        return put([&](platform::graph_node node) {
            return platform::graph_set_kernel(exec_, node, kernel, blocks, threads, arguments);
        });
    }

    /// Whether every node was found and took its work.
    [[nodiscard]] bool complete() const noexcept { return good_ && next_ == nodes_.size(); }

private:
    template<class Put>
    platform::result put(const Put& into) noexcept {
        const bool known = next_ < nodes_.size() && nodes_[next_] != nullptr;
        const bool taken = known && into(nodes_[next_]) == platform::success;
        if (!taken) (void)platform::take_last_error();
        ++next_;
        good_ = good_ && taken;
        return platform::success; // complete() tells
    }

    platform::graph_exec_handle exec_;
    const std::vector<platform::graph_node>& nodes_;
    std::size_t next_ = 0;
    bool good_ = true;
};

} // namespace r9v::inline R9V_ABI::runtime

#endif // R9V_GPU
