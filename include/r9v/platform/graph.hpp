// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The thin names for the GPU runtime's graphs: capture, replay, changes to a captured node.
#pragma once

#include <r9v/platform/gpu.hpp>

#if R9V_GPU

#include <cstddef>

namespace r9v::inline R9V_ABI::platform {

#if defined(__CUDACC__)
using graph_handle = cudaGraph_t;
using graph_exec_handle = cudaGraphExec_t;
using graph_node = cudaGraphNode_t;

/// Other threads may go on allocating; this one may not.
inline result capture_begin(stream_handle s) {
    return cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
}
inline result capture_end(stream_handle s, graph_handle* graph) {
    return cudaStreamEndCapture(s, graph);
}
enum class capture_state { none, active, broken };
inline result capture_query(stream_handle s, capture_state* state) {
    cudaStreamCaptureStatus found{};
    const result code = cudaStreamIsCapturing(s, &found);
    *state = found == cudaStreamCaptureStatusNone     ? capture_state::none
             : found == cudaStreamCaptureStatusActive ? capture_state::active
                                                      : capture_state::broken;
    return code;
}
/// The node that the stream's next work will follow; null where there is none or more than one.
inline result capture_tail(stream_handle s, graph_node* tail) {
    cudaStreamCaptureStatus state{};
    const graph_node* nodes = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const result code =
        cudaStreamGetCaptureInfo(s, &state, nullptr, nullptr, &nodes, nullptr, &count);
#else
    const result code = cudaStreamGetCaptureInfo_v2(s, &state, nullptr, nullptr, &nodes, &count);
#endif
    *tail = code == success && count == 1 ? nodes[0] : nullptr;
    return code;
}
inline result graph_node_count(graph_handle graph, std::size_t* count) {
    return cudaGraphGetNodes(graph, nullptr, count);
}
/// The nodes of a graph that is still being captured; 0 where the runtime does not say.
inline std::size_t capture_node_count(stream_handle s) {
    cudaStreamCaptureStatus state{};
    graph_handle graph = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const result code =
        cudaStreamGetCaptureInfo(s, &state, nullptr, &graph, nullptr, nullptr, nullptr);
#else
    const result code = cudaStreamGetCaptureInfo_v2(s, &state, nullptr, &graph, nullptr, nullptr);
#endif
    if (code != success || graph == nullptr) return 0;
    return graph_node_count(graph, &count) == success ? count : 0;
}
inline result graph_instantiate(graph_exec_handle* exec, graph_handle graph) {
    return cudaGraphInstantiate(exec, graph, 0);
}
inline result graph_launch(graph_exec_handle exec, stream_handle s) {
    return cudaGraphLaunch(exec, s);
}
inline result graph_destroy(graph_handle graph) {
    return cudaGraphDestroy(graph);
}
inline result graph_exec_destroy(graph_exec_handle exec) {
    return cudaGraphExecDestroy(exec);
}
inline result graph_set_kernel(graph_exec_handle exec, graph_node node, const void* kernel,
                               unsigned blocks, unsigned threads, void** arguments) {
    cudaKernelNodeParams p{};
    p.func = const_cast<void*>(kernel);
    p.gridDim = dim3{blocks};
    p.blockDim = dim3{threads};
    p.kernelParams = arguments;
    return cudaGraphExecKernelNodeSetParams(exec, node, &p);
}
inline result graph_set_fill(graph_exec_handle exec, graph_node node, void* to, std::size_t pitch,
                             int byte, std::size_t width, std::size_t rows) {
    cudaMemsetParams p{};
    p.dst = to;
    p.pitch = pitch;
    p.value = static_cast<unsigned>(byte) & 0xffU;
    p.elementSize = 1;
    p.width = width;
    p.height = rows;
    return cudaGraphExecMemsetNodeSetParams(exec, node, &p);
}
inline result graph_set_copy(graph_exec_handle exec, graph_node node, void* to, const void* from,
                             std::size_t bytes, bool to_host) {
    return cudaGraphExecMemcpyNodeSetParams1D(
        exec, node, to, from, bytes, to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}
#else
using graph_handle = hipGraph_t;
using graph_exec_handle = hipGraphExec_t;
using graph_node = hipGraphNode_t;

/// Other threads may go on allocating; this one may not.
inline result capture_begin(stream_handle s) {
    return hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal);
}
inline result capture_end(stream_handle s, graph_handle* graph) {
    return hipStreamEndCapture(s, graph);
}
enum class capture_state { none, active, broken };
inline result capture_query(stream_handle s, capture_state* state) {
    hipStreamCaptureStatus found{};
    const result code = hipStreamIsCapturing(s, &found);
    *state = found == hipStreamCaptureStatusNone     ? capture_state::none
             : found == hipStreamCaptureStatusActive ? capture_state::active
                                                     : capture_state::broken;
    return code;
}
/// The node that the stream's next work will follow; null where there is none or more than one.
inline result capture_tail(stream_handle s, graph_node* tail) {
    hipStreamCaptureStatus state{};
    const graph_node* nodes = nullptr;
    std::size_t count = 0;
    const result code = hipStreamGetCaptureInfo_v2(s, &state, nullptr, nullptr, &nodes, &count);
    *tail = code == success && count == 1 ? nodes[0] : nullptr;
    return code;
}
inline result graph_node_count(graph_handle graph, std::size_t* count) {
    return hipGraphGetNodes(graph, nullptr, count);
}
/// The nodes of a graph that is still being captured; 0 where the runtime does not say.
inline std::size_t capture_node_count(stream_handle s) {
    hipStreamCaptureStatus state{};
    graph_handle graph = nullptr;
    std::size_t count = 0;
    const result code = hipStreamGetCaptureInfo_v2(s, &state, nullptr, &graph, nullptr, nullptr);
    if (code != success || graph == nullptr) return 0;
    return graph_node_count(graph, &count) == success ? count : 0;
}
inline result graph_instantiate(graph_exec_handle* exec, graph_handle graph) {
    return hipGraphInstantiate(exec, graph, nullptr, nullptr, 0);
}
inline result graph_launch(graph_exec_handle exec, stream_handle s) {
    return hipGraphLaunch(exec, s);
}
inline result graph_destroy(graph_handle graph) {
    return hipGraphDestroy(graph);
}
inline result graph_exec_destroy(graph_exec_handle exec) {
    return hipGraphExecDestroy(exec);
}
inline result graph_set_kernel(graph_exec_handle exec, graph_node node, const void* kernel,
                               unsigned blocks, unsigned threads, void** arguments) {
    hipKernelNodeParams p{};
    p.func = const_cast<void*>(kernel);
    p.gridDim = dim3{blocks};
    p.blockDim = dim3{threads};
    p.kernelParams = arguments;
    return hipGraphExecKernelNodeSetParams(exec, node, &p);
}
inline result graph_set_fill(graph_exec_handle exec, graph_node node, void* to, std::size_t pitch,
                             int byte, std::size_t width, std::size_t rows) {
    hipMemsetParams p{};
    p.dst = to;
    p.pitch = pitch;
    p.value = static_cast<unsigned>(byte) & 0xffU;
    p.elementSize = 1;
    p.width = width;
    p.height = rows;
    return hipGraphExecMemsetNodeSetParams(exec, node, &p);
}
inline result graph_set_copy(graph_exec_handle exec, graph_node node, void* to, const void* from,
                             std::size_t bytes, bool to_host) {
    return hipGraphExecMemcpyNodeSetParams1D(
        exec, node, to, from, bytes, to_host ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice);
}
#endif

} // namespace r9v::inline R9V_ABI::platform

#endif // R9V_GPU
