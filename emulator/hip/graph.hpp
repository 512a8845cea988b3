// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Graphs: operations and the edges between them, built by hand or by capture.
#pragma once

#include "hip/operation.hpp"
#include <cstddef>
#include <hip/hip_runtime_api.h>
#include <memory>
#include <span>
#include <vector>

/// One node; what hipGraphNode_t points to.
struct hipGraphNode {
    hipGraphNodeType type = hipGraphNodeTypeEmpty;
    r9v_emulator::hip::operation work;
    std::shared_ptr<ihipGraph> child; ///< of hipGraphNodeTypeGraph
    ihipGraph* graph = nullptr;
    std::vector<hipGraphNode*> before;      ///< dependencies
    std::vector<hipGraphNode*> after;       ///< dependents
    const hipGraphNode* original = nullptr; ///< the node that this one was cloned from
    std::vector<void*> argument_pointers;   ///< handed out by hipGraphKernelNodeGetParams
};

/// What hipGraph_t points to.
struct ihipGraph {
    std::vector<std::unique_ptr<hipGraphNode>> nodes;

    hipGraphNode* add(hipGraphNodeType type, r9v_emulator::hip::operation work,
                      std::span<const hipGraphNode_t> dependencies);
    bool holds(const hipGraphNode* node) const;
    void connect(hipGraphNode* from, hipGraphNode* to);
    void disconnect(hipGraphNode* from, hipGraphNode* to);
    void remove(hipGraphNode* node);
    std::shared_ptr<ihipGraph> clone() const;
    /// All nodes so that each stands after those it depends on; fewer where there is a cycle.
    std::vector<hipGraphNode*> ordered() const;
};

/// An instantiated graph; what hipGraphExec_t points to.
struct hipGraphExec {
    struct shape {
        hipGraphNodeType type;
        std::vector<std::size_t> before;
        bool operator==(const shape&) const = default;
    };

    std::vector<const hipGraphNode*> origins; ///< of each step, for updates by node
    std::vector<shape> topology;
    /// Replaced, never changed: launches that still wait keep the steps that they were given.
    std::shared_ptr<const r9v_emulator::hip::graph_steps> steps;

    /// Replaces the work of the step that came from `node`; false where there is none.
    bool update(const hipGraphNode* node, const r9v_emulator::hip::operation& work);
};

namespace r9v_emulator::hip {

/// Null where the graph has a cycle.
std::unique_ptr<hipGraphExec> instantiate(const ihipGraph& graph);

} // namespace r9v_emulator::hip
