// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

#include "hip/graph.hpp"
#include <memory>
#include <mutex>
#include <unordered_map>

namespace r9v_emulator::hip {

/// The graphs and instantiated graphs that the program holds handles of.
class graph_table {
public:
    static graph_table& instance();

    hipGraph_t add(std::shared_ptr<ihipGraph> graph);
    std::shared_ptr<ihipGraph> find(hipGraph_t handle);
    bool destroy(hipGraph_t handle);

    hipGraphExec_t add(std::unique_ptr<hipGraphExec> executable);
    bool holds(hipGraphExec_t handle);
    bool destroy(hipGraphExec_t handle);

private:
    std::mutex mutex_;
    std::unordered_map<hipGraph_t, std::shared_ptr<ihipGraph>> graphs_;
    std::unordered_map<hipGraphExec_t, std::unique_ptr<hipGraphExec>> executables_;
};

} // namespace r9v_emulator::hip
