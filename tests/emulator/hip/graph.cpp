// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors

#include "support.hpp"
#include <thread>

namespace {

__global__ void multiply_add(int* data, int factor, int addend) {
    data[threadIdx.x] = data[threadIdx.x] * factor + addend;
}

class Graphs : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking), hipSuccess);
        ASSERT_EQ(hipStreamCreateWithFlags(&fork_, hipStreamNonBlocking), hipSuccess);
        ASSERT_EQ(hipStreamCreate(&blocking_), hipSuccess);
        ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&data_), bytes), hipSuccess);
        ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&host_), bytes, 0), hipSuccess);
        ASSERT_EQ(hipMemset(data_, 0, bytes), hipSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        for (const auto stream : {stream_, fork_, blocking_}) {
            EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
        }
        EXPECT_EQ(hipFree(data_), hipSuccess);
        EXPECT_EQ(hipHostFree(host_), hipSuccess);
    }
    void fill(hipStream_t stream) {
        ASSERT_EQ(hipMemsetD32Async(data_, 3, count, stream), hipSuccess);
    }
    void compute(hipStream_t stream, int factor, int addend) {
        multiply_add<<<1, count, 0, stream>>>(data_, factor, addend);
        ASSERT_EQ(hipGetLastError(), hipSuccess);
    }
    void fetch(hipStream_t stream) {
        ASSERT_EQ(hipMemcpyAsync(host_, data_, bytes, hipMemcpyDeviceToHost, stream), hipSuccess);
    }
    /// Begins a capture, makes a call that it forbids, and checks what the end of the capture says.
    template<class Call>
    void expect_invalidated(hipError_t expected, Call call, hipStream_t stream = nullptr,
                            hipStreamCaptureMode mode = hipStreamCaptureModeGlobal) {
        if (!stream) stream = stream_;
        ASSERT_EQ(hipStreamBeginCapture(stream, mode), hipSuccess);
        fill(stream);
        EXPECT_STREQ(hipGetErrorName(call()), hipGetErrorName(expected));
        hipStreamCaptureStatus status;
        EXPECT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
        EXPECT_EQ(status, hipStreamCaptureStatusInvalidated);
        EXPECT_EQ(hipMemsetAsync(data_, 0, bytes, stream), hipErrorStreamCaptureInvalidated);
        hipGraph_t graph;
        EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
        EXPECT_EQ(graph, nullptr);
        EXPECT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
        EXPECT_EQ(status, hipStreamCaptureStatusNone);
        EXPECT_NE(hipGetLastError(), hipSuccess);
    }

    static constexpr unsigned count = 32;
    static constexpr std::size_t bytes = count * sizeof(int);
    hipStream_t stream_ = nullptr, fork_ = nullptr, blocking_ = nullptr;
    int *data_ = nullptr, *host_ = nullptr;
};

TEST_F(Graphs, CaptureAndReplay) {
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    hipStreamCaptureStatus status;
    R9V_HIP(hipStreamIsCapturing(stream_, &status));
    EXPECT_EQ(status, hipStreamCaptureStatusActive);
    compute(stream_, 2, 1);
    compute(stream_, 3, 0);
    fetch(stream_);
    hipGraph_t graph;
    R9V_HIP(hipStreamEndCapture(stream_, &graph));
    std::size_t nodes = 0;
    R9V_HIP(hipGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(nodes, 3U);
    hipGraphExec_t executable;
    R9V_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    R9V_HIP(hipGraphDestroy(graph));
    host_[5] = -1;
    R9V_HIP(hipDeviceSynchronize());
    EXPECT_EQ(host_[5], -1) << "captured work must not run";
    const int expected[] = {3, 21, 129}; // x -> (2x + 1) * 3 from 0
    for (const int value : expected) {
        R9V_HIP(hipGraphLaunch(executable, stream_));
        R9V_HIP(hipStreamSynchronize(stream_));
        EXPECT_EQ(host_[5], value);
    }
    R9V_HIP(hipGraphExecDestroy(executable));
}

TEST_F(Graphs, ReplaysKeepTheStreamsOrder) {
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeThreadLocal));
    compute(stream_, 1, 5);
    hipGraph_t graph;
    R9V_HIP(hipStreamEndCapture(stream_, &graph));
    hipGraphExec_t executable;
    R9V_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    gate held(stream_);
    fill(stream_);
    R9V_HIP(hipGraphLaunch(executable, stream_));
    R9V_HIP(hipGraphLaunch(executable, stream_));
    fetch(stream_);
    R9V_HIP(hipGraphExecDestroy(executable));
    R9V_HIP(hipGraphDestroy(graph));
    held.open();
    R9V_HIP(hipStreamSynchronize(stream_));
    EXPECT_EQ(host_[31], 13);
}

TEST_F(Graphs, ForkAndJoin) {
    hipEvent_t forked, joined;
    R9V_HIP(hipEventCreateWithFlags(&forked, hipEventDisableTiming));
    R9V_HIP(hipEventCreateWithFlags(&joined, hipEventDisableTiming));
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    fill(stream_);
    R9V_HIP(hipEventRecord(forked, stream_));
    R9V_HIP_IS(hipErrorCapturedEvent, hipEventQuery(forked));
    hipGraph_t graph;
    R9V_HIP_IS(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream_, &graph));

    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    fill(stream_);
    R9V_HIP(hipEventRecord(forked, stream_));
    R9V_HIP(hipStreamWaitEvent(fork_, forked, 0));
    compute(fork_, 10, 1);
    R9V_HIP(hipEventRecord(joined, fork_));
    R9V_HIP_IS(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(fork_, &graph));
    R9V_HIP_IS(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream_, &graph));

    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    fill(stream_);
    R9V_HIP(hipEventRecord(forked, stream_));
    R9V_HIP(hipStreamWaitEvent(fork_, forked, 0));
    compute(fork_, 10, 1);
    R9V_HIP_IS(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(stream_, &graph));

    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    fill(stream_);
    R9V_HIP(hipEventRecord(forked, stream_));
    R9V_HIP(hipStreamWaitEvent(fork_, forked, 0));
    compute(fork_, 10, 1);
    R9V_HIP(hipEventRecord(joined, fork_));
    R9V_HIP(hipStreamWaitEvent(stream_, joined, 0));
    fetch(stream_);
    R9V_HIP(hipStreamEndCapture(stream_, &graph));
    hipGraphExec_t executable;
    R9V_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    R9V_HIP(hipGraphLaunch(executable, stream_));
    R9V_HIP(hipStreamSynchronize(stream_));
    EXPECT_EQ(host_[0], 31);
    R9V_HIP(hipGraphExecDestroy(executable));
    R9V_HIP(hipGraphDestroy(graph));
    R9V_HIP(hipEventDestroy(forked));
    R9V_HIP(hipEventDestroy(joined));
}

TEST_F(Graphs, CallsThatACaptureForbids) {
    void* pointer = nullptr;
    int value = 0;
    expect_invalidated(hipErrorStreamCaptureUnsupported, [&] { return hipMalloc(&pointer, 16); });
    expect_invalidated(hipErrorStreamCaptureUnsupported, [&] { return hipFree(data_); });
    expect_invalidated(hipErrorStreamCaptureUnsupported,
                       [&] { return hipHostMalloc(&pointer, 16, 0); });
    expect_invalidated(hipErrorStreamCaptureUnsupported,
                       [&] { return hipMemcpy(&value, data_, 4, hipMemcpyDeviceToHost); });
    expect_invalidated(hipErrorStreamCaptureUnsupported, [&] { return hipMemset(data_, 0, 4); });
    expect_invalidated(hipErrorStreamCaptureUnsupported,
                       [&] { return hipStreamSynchronize(stream_); });
    expect_invalidated(hipErrorStreamCaptureUnsupported, [&] { return hipStreamQuery(stream_); });
    expect_invalidated(hipErrorStreamCaptureUnsupported, [] { return hipDeviceSynchronize(); });
    expect_invalidated(hipErrorStreamCaptureUnsupported,
                       [&] { return hipMallocAsync(&pointer, 16, stream_); });
    expect_invalidated(
        hipErrorStreamCaptureImplicit, [&] { return hipMemsetAsync(data_, 0, 4, nullptr); },
        blocking_);
    expect_invalidated(hipErrorStreamCaptureIsolation, [&] {
        hipEvent_t outside;
        EXPECT_EQ(hipEventCreate(&outside), hipSuccess);
        EXPECT_EQ(hipEventRecord(outside, fork_), hipSuccess);
        const auto result = hipStreamWaitEvent(stream_, outside, 0);
        EXPECT_EQ(hipEventDestroy(outside), hipSuccess);
        return result;
    });
}

TEST_F(Graphs, RelaxedCapturesAllowUnsafeCalls) {
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeRelaxed));
    void* pointer = nullptr;
    auto mode = hipStreamCaptureModeRelaxed;
    R9V_HIP(hipMalloc(&pointer, 16));
    fill(stream_);
    hipGraph_t graph;
    R9V_HIP(hipStreamEndCapture(stream_, &graph));
    R9V_HIP(hipGraphDestroy(graph));
    R9V_HIP(hipFree(pointer));

    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    R9V_HIP(hipThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
    R9V_HIP(hipMalloc(&pointer, 16));
    R9V_HIP(hipThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, hipStreamCaptureModeRelaxed);
    R9V_HIP(hipStreamEndCapture(stream_, &graph));
    R9V_HIP(hipGraphDestroy(graph));
    R9V_HIP(hipFree(pointer));
}

TEST_F(Graphs, OtherThreads) {
    const auto malloc_elsewhere = [] {
        auto result = hipSuccess;
        std::thread([&] {
            void* pointer = nullptr;
            result = hipMalloc(&pointer, 16);
            if (result == hipSuccess) result = hipFree(pointer);
        }).join();
        return result;
    };
    expect_invalidated(hipErrorStreamCaptureUnsupported, [&] {
        const auto result = malloc_elsewhere();
        static_cast<void>(hipMalloc(nullptr, 0)); // so that this thread has an error, too
        return result;
    });
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeThreadLocal));
    R9V_HIP(malloc_elsewhere());
    auto ended = hipSuccess;
    hipGraph_t graph = nullptr;
    std::thread([&] { ended = hipStreamEndCapture(stream_, &graph); }).join();
    EXPECT_EQ(ended, hipErrorStreamCaptureWrongThread);
    R9V_HIP(hipStreamEndCapture(stream_, &graph));
    R9V_HIP(hipGraphDestroy(graph));
}

TEST_F(Graphs, CaptureStateErrors) {
    hipGraph_t graph;
    R9V_HIP_IS(hipErrorStreamCaptureUnsupported,
               hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
    R9V_HIP_IS(hipErrorIllegalState, hipStreamEndCapture(stream_, &graph));
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    R9V_HIP_IS(hipErrorIllegalState, hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    R9V_HIP(hipStreamEndCapture(stream_, &graph));
    R9V_HIP(hipGraphDestroy(graph));
    R9V_HIP_IS(hipErrorInvalidValue, hipGraphDestroy(graph));
}

void add_one(void* value) {
    ++*static_cast<int*>(value);
}

TEST_F(Graphs, BuiltByHand) {
    hipGraph_t graph;
    R9V_HIP(hipGraphCreate(&graph, 0));
    hipMemsetParams set = {};
    set.dst = data_;
    set.elementSize = 4;
    set.value = 7;
    set.width = count;
    set.height = 1;
    hipGraphNode_t fill_node, kernel_node, copy_node, host_node, empty_node;
    R9V_HIP(hipGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &set));
    int factor = 2, addend = 1;
    void* arguments[] = {&data_, &factor, &addend};
    hipKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(multiply_add);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(count);
    kernel.kernelParams = arguments;
    R9V_HIP(hipGraphAddKernelNode(&kernel_node, graph, &fill_node, 1, &kernel));
    R9V_HIP(hipGraphAddEmptyNode(&empty_node, graph, &kernel_node, 1));
    R9V_HIP(hipGraphAddMemcpyNode1D(&copy_node, graph, nullptr, 0, host_, data_, bytes,
                                    hipMemcpyDeviceToHost));
    R9V_HIP(hipGraphAddDependencies(graph, &empty_node, &copy_node, 1));
    int calls = 0;
    hipHostNodeParams host = {add_one, &calls};
    R9V_HIP(hipGraphAddHostNode(&host_node, graph, &copy_node, 1, &host));
    hipGraphExec_t executable;
    R9V_HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    R9V_HIP(hipGraphLaunch(executable, stream_));
    R9V_HIP(hipStreamSynchronize(stream_));
    EXPECT_EQ(host_[9], 15);
    EXPECT_EQ(calls, 1);

    factor = 100;
    R9V_HIP(hipGraphExecKernelNodeSetParams(executable, kernel_node, &kernel));
    R9V_HIP(hipGraphLaunch(executable, stream_));
    R9V_HIP(hipStreamSynchronize(stream_));
    EXPECT_EQ(host_[9], 701);
    EXPECT_EQ(calls, 2);

    hipKernelNodeParams read = {};
    R9V_HIP(hipGraphKernelNodeGetParams(kernel_node, &read));
    EXPECT_EQ(read.func, kernel.func);
    EXPECT_EQ(*static_cast<int*>(read.kernelParams[1]), 2);
    R9V_HIP(hipGraphKernelNodeSetParams(kernel_node, &kernel));
    hipGraphExecUpdateResult outcome;
    set.value = 1;
    R9V_HIP(hipGraphMemsetNodeSetParams(fill_node, &set));
    R9V_HIP(hipGraphExecUpdate(executable, graph, nullptr, &outcome));
    EXPECT_EQ(outcome, hipGraphExecUpdateSuccess);
    R9V_HIP(hipGraphLaunch(executable, stream_));
    R9V_HIP(hipStreamSynchronize(stream_));
    EXPECT_EQ(host_[9], 101);

    R9V_HIP(hipGraphDestroyNode(host_node));
    R9V_HIP_IS(hipErrorGraphExecUpdateFailure,
               hipGraphExecUpdate(executable, graph, nullptr, &outcome));
    EXPECT_EQ(outcome, hipGraphExecUpdateErrorTopologyChanged);
    R9V_HIP(hipGraphAddDependencies(graph, &copy_node, &fill_node, 1));
    hipGraphExec_t cyclic;
    R9V_HIP_IS(hipErrorInvalidValue, hipGraphInstantiate(&cyclic, graph, nullptr, nullptr, 0));
    R9V_HIP(hipGraphExecDestroy(executable));
    R9V_HIP(hipGraphDestroy(graph));
}

TEST_F(Graphs, ChildrenAndClones) {
    hipGraph_t child, parent, clone;
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    compute(stream_, 2, 0);
    R9V_HIP(hipStreamEndCapture(stream_, &child));
    R9V_HIP(hipStreamBeginCapture(stream_, hipStreamCaptureModeGlobal));
    fill(stream_);
    R9V_HIP(hipStreamEndCapture(stream_, &parent));
    hipGraphNode_t first, second;
    std::size_t one = 1;
    R9V_HIP(hipGraphGetRootNodes(parent, &first, &one));
    R9V_HIP(hipGraphAddChildGraphNode(&second, parent, &first, 1, child));
    R9V_HIP(hipGraphDestroy(child));
    R9V_HIP(hipGraphClone(&clone, parent));
    R9V_HIP(hipGraphDestroy(parent));
    hipGraphExec_t executable;
    R9V_HIP(hipGraphInstantiate(&executable, clone, nullptr, nullptr, 0));
    R9V_HIP(hipGraphLaunch(executable, stream_));
    fetch(stream_);
    R9V_HIP(hipStreamSynchronize(stream_));
    EXPECT_EQ(host_[1], 6);
    R9V_HIP(hipGraphExecDestroy(executable));
    R9V_HIP(hipGraphDestroy(clone));
}

} // namespace
