// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/graph_table.hpp"

namespace r9v_emulator::hip {

graph_table& graph_table::instance() {
    static auto& table = *new graph_table;
    return table;
}

hipGraph_t graph_table::add(std::shared_ptr<ihipGraph> graph) {
    auto* const handle = graph.get();
    const std::lock_guard lock(mutex_);
    graphs_.emplace(handle, std::move(graph));
    return handle;
}

std::shared_ptr<ihipGraph> graph_table::find(hipGraph_t handle) {
    const std::lock_guard lock(mutex_);
    const auto found = graphs_.find(handle);
    return found == graphs_.end() ? nullptr : found->second;
}

bool graph_table::destroy(hipGraph_t handle) {
    const std::lock_guard lock(mutex_);
    return graphs_.erase(handle) != 0;
}

hipGraphExec_t graph_table::add(std::unique_ptr<hipGraphExec> executable) {
    auto* const handle = executable.get();
    const std::lock_guard lock(mutex_);
    executables_.emplace(handle, std::move(executable));
    return handle;
}

bool graph_table::holds(hipGraphExec_t handle) {
    const std::lock_guard lock(mutex_);
    return executables_.contains(handle);
}

bool graph_table::destroy(hipGraphExec_t handle) {
    const std::lock_guard lock(mutex_);
    return executables_.erase(handle) != 0;
}

} // namespace r9v_emulator::hip
