// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "hip/graph.hpp"

#include "hip/runtime.hpp"
#include <algorithm>
#include <random>
#include <unordered_map>

hipGraphNode* ihipGraph::add(hipGraphNodeType type, r9v_emulator::hip::operation work,
                             std::span<const hipGraphNode_t> dependencies) {
    auto node = std::make_unique<hipGraphNode>();
    node->type = type;
    node->work = std::move(work);
    node->graph = this;
    auto* const result = node.get();
    nodes.push_back(std::move(node));
    for (auto* const dependency : dependencies)
        connect(dependency, result);
    return result;
}

bool ihipGraph::holds(const hipGraphNode* node) const {
    return std::ranges::any_of(nodes, [&](const auto& own) { return own.get() == node; });
}

void ihipGraph::connect(hipGraphNode* from, hipGraphNode* to) {
    if (std::ranges::find(to->before, from) != to->before.end()) return;
    to->before.push_back(from);
    from->after.push_back(to);
}

void ihipGraph::disconnect(hipGraphNode* from, hipGraphNode* to) {
    std::erase(to->before, from);
    std::erase(from->after, to);
}

void ihipGraph::remove(hipGraphNode* node) {
    for (auto* const other : std::vector(node->before))
        disconnect(other, node);
    for (auto* const other : std::vector(node->after))
        disconnect(node, other);
    std::erase_if(nodes, [&](const auto& own) { return own.get() == node; });
}

std::shared_ptr<ihipGraph> ihipGraph::clone() const {
    auto copy = std::make_shared<ihipGraph>();
    std::unordered_map<const hipGraphNode*, hipGraphNode*> twins;
    for (const auto& node : nodes) {
        auto* const twin = copy->add(node->type, node->work, {});
        twin->child = node->child ? node->child->clone() : nullptr;
        twin->original = node.get();
        twins[node.get()] = twin;
    }
    for (const auto& node : nodes) {
        for (const auto* const dependency : node->before) {
            copy->connect(twins[dependency], twins[node.get()]);
        }
    }
    return copy;
}

std::vector<hipGraphNode*> ihipGraph::ordered() const {
    std::vector<hipGraphNode*> result;
    std::unordered_map<const hipGraphNode*, std::size_t> missing;
    for (const auto& node : nodes) {
        missing[node.get()] = node->before.size();
        if (node->before.empty()) result.push_back(node.get());
    }
    // Graphs of one shape get one order, so that one can replace the other.
    const auto seed = r9v_emulator::hip::runtime::instance().seed();
    std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
    for (std::size_t next = 0; next < result.size(); ++next) {
        // Those from `next` on are ready: with a seed, any may be the next.
        if (seed != 0) std::swap(result[next], result[next + random() % (result.size() - next)]);
        for (auto* const dependent : result[next]->after) {
            if (--missing[dependent] == 0) result.push_back(dependent);
        }
    }
    return result;
}

bool hipGraphExec::update(const hipGraphNode* node, const r9v_emulator::hip::operation& work) {
    const auto found = std::ranges::find(origins, node);
    if (found == origins.end()) return false;
    auto changed = std::make_shared<r9v_emulator::hip::graph_steps>(*steps);
    changed->operations[static_cast<std::size_t>(found - origins.begin())] = work;
    steps = std::move(changed);
    return true;
}

namespace r9v_emulator::hip {

std::unique_ptr<hipGraphExec> instantiate(const ihipGraph& graph) {
    const auto order = graph.ordered();
    if (order.size() != graph.nodes.size()) return nullptr;
    auto result = std::make_unique<hipGraphExec>();
    auto steps = std::make_shared<graph_steps>();
    std::unordered_map<const hipGraphNode*, std::size_t> places;
    for (auto* const node : order) {
        operation work = node->work;
        if (node->child) {
            const auto nested = instantiate(*node->child);
            if (!nested) return nullptr;
            work = graph_operation{nested->steps};
        }
        hipGraphExec::shape shape{node->type, {}};
        for (const auto* const dependency : node->before) {
            shape.before.push_back(places.at(dependency));
        }
        std::ranges::sort(shape.before);
        places[node] = result->origins.size();
        result->origins.push_back(node);
        result->topology.push_back(std::move(shape));
        steps->may_block = steps->may_block || may_block(work);
        steps->operations.push_back(std::move(work));
    }
    result->steps = std::move(steps);
    return result;
}

} // namespace r9v_emulator::hip
