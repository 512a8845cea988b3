// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Nodes of graphs: each kind can be added, asked, changed, and changed in an instantiated graph.

#include "hip/error.hpp"
#include "hip/graph_table.hpp"
#include "hip/launch.hpp"
#include "hip/symbol.hpp"
#include "hip/transfer.hpp"
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {
namespace {

struct place {
    hipGraphNode_t* result;
    hipGraph_t graph;
    const hipGraphNode_t* dependencies;
    std::size_t count;
};

hipError_t add(const place& where, hipGraphNodeType type, operation work) {
    if (!where.result || !where.graph || (where.count != 0 && !where.dependencies)) {
        return hipErrorInvalidValue;
    }
    for (std::size_t i = 0; i < where.count; ++i) {
        if (!where.graph->holds(where.dependencies[i])) return hipErrorInvalidValue;
    }
    *where.result = where.graph->add(type, std::move(work), {where.dependencies, where.count});
    return hipSuccess;
}

/// The work of a node, where it is of the wanted kind.
template<class Work>
Work* work_of(hipGraphNode_t node) {
    return node ? std::get_if<Work>(&node->work) : nullptr;
}

template<class Work>
hipError_t set(hipGraphNode_t node, Work work) {
    auto* const present = work_of<Work>(node);
    if (!present) return hipErrorInvalidValue;
    *present = std::move(work);
    return hipSuccess;
}

template<class Work>
hipError_t set(hipGraphExec_t executable, hipGraphNode_t node, Work work) {
    if (!graph_table::instance().holds(executable) || !work_of<Work>(node)) {
        return hipErrorInvalidValue;
    }
    return executable->update(node, std::move(work)) ? hipSuccess : hipErrorInvalidValue;
}

/// Makes an operation of a description and hands it on, unless the description is wrong.
template<class Work, class Description, class Then>
hipError_t with(hipError_t (*make)(Work&, const Description*), const Description* description,
                Then then) {
    return guarded([&]() -> hipError_t {
        Work work;
        const auto valid = description ? make(work, description) : hipErrorInvalidValue;
        return valid != hipSuccess ? valid : then(std::move(work));
    });
}

hipError_t kernel_from(kernel_operation& work, const hipKernelNodeParams* p) {
    auto* const target = registry::instance().find_function(p->func);
    if (!target) return hipErrorInvalidDeviceFunction;
    const auto valid =
        check_launch(*target, p->gridDim, p->blockDim, p->sharedMemBytes, launch_face::runtime);
    if (valid != hipSuccess) return valid;
    work = {target, p->func, p->gridDim, p->blockDim, p->sharedMemBytes, {}};
    if (p->extra) return pack_buffer(*target, p->extra, work.arguments);
    if (!p->kernelParams && !target->kernel->metadata.arguments.empty()) {
        return hipErrorInvalidValue;
    }
    work.arguments = pack_arguments(*target, p->kernelParams);
    return hipSuccess;
}

hipError_t copy_from(copy_operation& work, const hipMemcpy3DParms* p) {
    const auto valid = box(work, p);
    return valid != hipSuccess ? valid : check(work);
}

hipError_t fill_from(fill_operation& work, const hipMemsetParams* p) {
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) {
        return hipErrorInvalidValue;
    }
    work = plain_fill(p->dst, p->value, p->elementSize, p->width);
    work.height = std::max<std::size_t>(p->height, 1);
    work.pitch = p->pitch;
    return check(work);
}

hipError_t host_from(host_operation& work, const hipHostNodeParams* p) {
    if (!p->fn) return hipErrorInvalidValue;
    work = {p->fn, p->userData};
    return hipSuccess;
}

hipError_t checked(copy_operation& work, void* to, const void* from, std::size_t bytes,
                   hipMemcpyKind kind) {
    work = plain_copy(to, from, bytes, kind);
    return check(work);
}

template<class Then>
hipError_t with_copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, Then then) {
    return guarded([&]() -> hipError_t {
        copy_operation work;
        const auto valid = checked(work, to, from, bytes, kind);
        return valid != hipSuccess ? valid : then(std::move(work));
    });
}

hipError_t get_kernel(hipGraphNode_t node, hipKernelNodeParams* result) {
    auto* const work = work_of<kernel_operation>(node);
    if (!work || !result) return hipErrorInvalidValue;
    node->argument_pointers.clear();
    for (const auto& argument : work->target->kernel->metadata.arguments) {
        node->argument_pointers.push_back(work->arguments.data() + argument.offset);
    }
    *result = {};
    result->func = const_cast<void*>(work->stub);
    result->gridDim = work->blocks;
    result->blockDim = work->threads;
    result->sharedMemBytes = work->dynamic_lds;
    result->kernelParams = node->argument_pointers.data();
    return hipSuccess;
}

hipError_t get_fill(hipGraphNode_t node, hipMemsetParams* result) {
    const auto* const work = work_of<fill_operation>(node);
    if (!work || !result) return hipErrorInvalidValue;
    *result = {work->to,    work->pattern_bytes, work->height,
               work->pitch, work->pattern,       work->width};
    return hipSuccess;
}

hipError_t get_copy(hipGraphNode_t node, hipMemcpy3DParms* result) {
    const auto* const work = work_of<copy_operation>(node);
    if (!work || !result) return hipErrorInvalidValue;
    const auto rows = [](std::size_t slice, std::size_t pitch, std::size_t height) {
        return pitch != 0 && slice != 0 ? slice / pitch : height;
    };
    *result = {};
    result->srcPtr =
        make_hipPitchedPtr(const_cast<void*>(work->from), work->from_pitch, work->width,
                           rows(work->from_slice, work->from_pitch, work->height));
    result->dstPtr = make_hipPitchedPtr(work->to, work->to_pitch, work->width,
                                        rows(work->to_slice, work->to_pitch, work->height));
    result->extent = make_hipExtent(work->width, work->height, work->depth);
    result->kind = work->kind;
    return hipSuccess;
}

} // namespace
} // namespace r9v_emulator::hip

using namespace r9v_emulator::hip; // NOLINT(google-build-using-namespace)

extern "C" {

hipError_t hipGraphAddKernelNode(hipGraphNode_t* result, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipKernelNodeParams* p) {
    return with(kernel_from, p, [&](kernel_operation work) {
        return add({result, graph, dependencies, count}, hipGraphNodeTypeKernel, std::move(work));
    });
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* result) {
    return answer(get_kernel(node, result));
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* p) {
    return with(kernel_from, p, [&](kernel_operation work) { return set(node, std::move(work)); });
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipKernelNodeParams* p) {
    return with(kernel_from, p,
                [&](kernel_operation work) { return set(executable, node, std::move(work)); });
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* result, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipMemcpy3DParms* p) {
    return with(copy_from, p, [&](copy_operation work) {
        return add({result, graph, dependencies, count}, hipGraphNodeTypeMemcpy, std::move(work));
    });
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* result) {
    return answer(get_copy(node, result));
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* p) {
    return with(copy_from, p, [&](copy_operation work) { return set(node, std::move(work)); });
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           hipMemcpy3DParms* p) {
    return with(copy_from, static_cast<const hipMemcpy3DParms*>(p),
                [&](copy_operation work) { return set(executable, node, std::move(work)); });
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* result, hipGraph_t graph,
                                   const hipGraphNode_t* dependencies, std::size_t count, void* to,
                                   const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return with_copy(to, from, bytes, kind, [&](copy_operation work) {
        return add({result, graph, dependencies, count}, hipGraphNodeTypeMemcpy1D, std::move(work));
    });
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                         std::size_t bytes, hipMemcpyKind kind) {
    return with_copy(to, from, bytes, kind,
                     [&](copy_operation work) { return set(node, std::move(work)); });
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t executable, hipGraphNode_t node,
                                             void* to, const void* from, std::size_t bytes,
                                             hipMemcpyKind kind) {
    return with_copy(to, from, bytes, kind,
                     [&](copy_operation work) { return set(executable, node, std::move(work)); });
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* result, hipGraph_t graph,
                                         const hipGraphNode_t* dependencies, std::size_t count,
                                         const void* symbol, const void* from, std::size_t bytes,
                                         std::size_t offset, hipMemcpyKind kind) {
    void* to = nullptr;
    const auto valid = guarded([&] { return symbol_range(to, symbol, bytes, offset); });
    if (valid != hipSuccess) return valid;
    return with_copy(to, from, bytes, kind, [&](copy_operation work) {
        return add({result, graph, dependencies, count}, hipGraphNodeTypeMemcpyToSymbol,
                   std::move(work));
    });
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* result, hipGraph_t graph,
                                           const hipGraphNode_t* dependencies, std::size_t count,
                                           void* to, const void* symbol, std::size_t bytes,
                                           std::size_t offset, hipMemcpyKind kind) {
    void* from = nullptr;
    const auto valid = guarded([&] { return symbol_range(from, symbol, bytes, offset); });
    if (valid != hipSuccess) return valid;
    return with_copy(to, from, bytes, kind, [&](copy_operation work) {
        return add({result, graph, dependencies, count}, hipGraphNodeTypeMemcpyFromSymbol,
                   std::move(work));
    });
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* result, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipMemsetParams* p) {
    return with(fill_from, p, [&](fill_operation work) {
        return add({result, graph, dependencies, count}, hipGraphNodeTypeMemset, work);
    });
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* result) {
    return answer(get_fill(node, result));
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* p) {
    return with(fill_from, p, [&](fill_operation work) { return set(node, work); });
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipMemsetParams* p) {
    return with(fill_from, p, [&](fill_operation work) { return set(executable, node, work); });
}

hipError_t hipGraphAddHostNode(hipGraphNode_t* result, hipGraph_t graph,
                               const hipGraphNode_t* dependencies, std::size_t count,
                               const hipHostNodeParams* p) {
    return with(host_from, p, [&](host_operation work) {
        return add({result, graph, dependencies, count}, hipGraphNodeTypeHost, work);
    });
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* result) {
    const auto* const work = work_of<host_operation>(node);
    if (!work || !result) return answer(hipErrorInvalidValue);
    *result = {work->call, work->data};
    return hipSuccess;
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* p) {
    return with(host_from, p, [&](host_operation work) { return set(node, work); });
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                         const hipHostNodeParams* p) {
    return with(host_from, p, [&](host_operation work) { return set(executable, node, work); });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* result, hipGraph_t graph,
                                const hipGraphNode_t* dependencies, std::size_t count) {
    return guarded(
        [&] { return add({result, graph, dependencies, count}, hipGraphNodeTypeEmpty, {}); });
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* result, hipGraph_t graph,
                                     const hipGraphNode_t* dependencies, std::size_t count,
                                     hipGraph_t child) {
    return guarded([&] {
        if (!child) return hipErrorInvalidValue;
        const auto added = add({result, graph, dependencies, count}, hipGraphNodeTypeGraph, {});
        if (added == hipSuccess) (*result)->child = child->clone();
        return added;
    });
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* result) {
    if (!node || !result || !node->child) return answer(hipErrorInvalidValue);
    *result = node->child.get();
    return hipSuccess;
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* result, hipGraph_t graph,
                                      const hipGraphNode_t* dependencies, std::size_t count,
                                      hipEvent_t event) {
    return guarded([&] {
        if (!event) return hipErrorInvalidValue;
        return add({result, graph, dependencies, count}, hipGraphNodeTypeEventRecord,
                   record_operation{nullptr, event});
    });
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* result, hipGraph_t graph,
                                    const hipGraphNode_t* dependencies, std::size_t count,
                                    hipEvent_t event) {
    return guarded([&] {
        if (!event) return hipErrorInvalidValue;
        return add({result, graph, dependencies, count}, hipGraphNodeTypeWaitEvent,
                   wait_operation{event});
    });
}

} // extern "C"
