// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Graphs as a whole: building, asking, instantiating, launching.

#include "hip/enqueue.hpp"
#include "hip/error.hpp"
#include "hip/graph_table.hpp"
#include <algorithm>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

template<class Body>
hipError_t on_graph(hipGraph_t handle, Body body) {
    return guarded([&]() -> hipError_t {
        // A capture's own graph is known by its stream alone, and may be built further by hand.
        const auto graph = graph_table::instance().find(handle);
        if (!handle) return hipErrorInvalidValue;
        return body(graph ? *graph : *handle);
    });
}

/// Fills `nodes`, or answers how many there are where it is null.
hipError_t list(std::span<hipGraphNode* const> all, hipGraphNode_t* nodes, std::size_t* count) {
    if (!count) return hipErrorInvalidValue;
    if (!nodes) {
        *count = all.size();
        return hipSuccess;
    }
    const auto copied = std::min(*count, all.size());
    std::ranges::copy(all.first(copied), nodes);
    std::fill(nodes + copied, nodes + *count, nullptr);
    *count = copied;
    return hipSuccess;
}

hipError_t edit_edges(ihipGraph& graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                      std::size_t count, void (ihipGraph::*edit)(hipGraphNode*, hipGraphNode*)) {
    if (count != 0 && (!from || !to)) return hipErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        if (!graph.holds(from[i]) || !graph.holds(to[i]) || from[i] == to[i]) {
            return hipErrorInvalidValue;
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        (graph.*edit)(from[i], to[i]);
    return hipSuccess;
}

hipError_t list_edges(const ihipGraph& graph, hipGraphNode_t* from, hipGraphNode_t* to,
                      std::size_t* count) {
    if (!count || !from != !to) return hipErrorInvalidValue;
    std::size_t found = 0;
    for (const auto& node : graph.nodes) {
        for (auto* const after : node->after) {
            if (from && found < *count) {
                from[found] = node.get();
                to[found] = after;
            }
            ++found;
        }
    }
    *count = from ? std::min(found, *count) : found;
    return hipSuccess;
}

hipError_t make_executable(hipGraphExec_t* result, hipGraph_t graph) {
    if (!result) return hipErrorInvalidValue;
    return on_graph(graph, [&](const ihipGraph& source) {
        auto made = instantiate(source);
        if (!made) return hipErrorInvalidValue;
        *result = graph_table::instance().add(std::move(made));
        return hipSuccess;
    });
}

hipError_t launch(hipGraphExec_t executable, hipStream_t stream) {
    if (!graph_table::instance().holds(executable)) return hipErrorInvalidHandle;
    return enqueue(stream, hipGraphNodeTypeGraph, graph_operation{executable->steps});
}

hipError_t update(hipGraphExec& executable, const ihipGraph& graph,
                  hipGraphExecUpdateResult& outcome) {
    const auto fresh = instantiate(graph);
    if (!fresh || fresh->topology.size() != executable.topology.size()) {
        outcome = hipGraphExecUpdateErrorTopologyChanged;
        return hipErrorGraphExecUpdateFailure;
    }
    for (std::size_t i = 0; i < fresh->topology.size(); ++i) {
        if (fresh->topology[i].type != executable.topology[i].type) {
            outcome = hipGraphExecUpdateErrorNodeTypeChanged;
            return hipErrorGraphExecUpdateFailure;
        }
        if (fresh->topology[i] != executable.topology[i]) {
            outcome = hipGraphExecUpdateErrorTopologyChanged;
            return hipErrorGraphExecUpdateFailure;
        }
    }
    executable.steps = fresh->steps;
    outcome = hipGraphExecUpdateSuccess;
    return hipSuccess;
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipGraphCreate(hipGraph_t* result, unsigned flags) {
    return guarded([&] {
        if (!result || flags != 0) return hipErrorInvalidValue;
        *result = graph_table::instance().add(std::make_shared<ihipGraph>());
        return hipSuccess;
    });
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
    return guarded(
        [&] { return graph_table::instance().destroy(graph) ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipGraphClone(hipGraph_t* result, hipGraph_t graph) {
    if (!result) return answer(hipErrorInvalidValue);
    return on_graph(graph, [&](const ihipGraph& source) {
        *result = graph_table::instance().add(source.clone());
        return hipSuccess;
    });
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* result, hipGraphNode_t original,
                                   hipGraph_t clone) {
    if (!result || !original) return answer(hipErrorInvalidValue);
    return on_graph(clone, [&](const ihipGraph& graph) {
        for (const auto& node : graph.nodes) {
            if (node->original != original) continue;
            *result = node.get();
            return hipSuccess;
        }
        return hipErrorInvalidValue;
    });
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, std::size_t count) {
    return on_graph(graph, [&](ihipGraph& edited) {
        return edit_edges(edited, from, to, count, &ihipGraph::connect);
    });
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                      const hipGraphNode_t* to, std::size_t count) {
    return on_graph(graph, [&](ihipGraph& edited) {
        return edit_edges(edited, from, to, count, &ihipGraph::disconnect);
    });
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                            std::size_t* count) {
    return on_graph(graph,
                    [&](const ihipGraph& asked) { return list_edges(asked, from, to, count); });
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
    return on_graph(graph, [&](const ihipGraph& asked) {
        std::vector<hipGraphNode*> all;
        for (const auto& node : asked.nodes)
            all.push_back(node.get());
        return list(all, nodes, count);
    });
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
    return on_graph(graph, [&](const ihipGraph& asked) {
        std::vector<hipGraphNode*> roots;
        for (const auto& node : asked.nodes) {
            if (node->before.empty()) roots.push_back(node.get());
        }
        return list(roots, nodes, count);
    });
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* nodes,
                                       std::size_t* count) {
    return answer(node ? list(node->before, nodes, count) : hipErrorInvalidValue);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* nodes,
                                         std::size_t* count) {
    return answer(node ? list(node->after, nodes, count) : hipErrorInvalidValue);
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
    if (!node || !type) return answer(hipErrorInvalidValue);
    *type = node->type;
    return hipSuccess;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
    if (!node) return answer(hipErrorInvalidValue);
    node->graph->remove(node);
    return hipSuccess;
}

hipError_t hipGraphInstantiate(hipGraphExec_t* result, hipGraph_t graph, hipGraphNode_t* failed,
                               char* log, std::size_t log_size) {
    if (failed) *failed = nullptr;
    if (log && log_size != 0) *log = '\0';
    return make_executable(result, graph);
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* result, hipGraph_t graph,
                                        unsigned long long) {
    return make_executable(result, graph);
}

hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
    return device_call([&] { return launch(executable, stream); });
}

hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
    return guarded([&] {
        return graph_table::instance().destroy(executable) ? hipSuccess : hipErrorInvalidHandle;
    });
}

hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph, hipGraphNode_t* failed,
                              hipGraphExecUpdateResult* outcome) {
    if (!outcome || !graph_table::instance().holds(executable)) {
        return answer(hipErrorInvalidValue);
    }
    if (failed) *failed = nullptr;
    return on_graph(
        graph, [&](const ihipGraph& changed) { return update(*executable, changed, *outcome); });
}

} // extern "C"
