// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Order: what streams, events and the null stream promise, with a stream held back by a gate.

#include "support.hpp"
#include <atomic>
#include <thread>

namespace {

class Streams : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(hipStreamCreateWithFlags(&free_, hipStreamNonBlocking), hipSuccess);
        ASSERT_EQ(hipStreamCreateWithFlags(&other_free_, hipStreamNonBlocking), hipSuccess);
        ASSERT_EQ(hipStreamCreate(&blocking_), hipSuccess);
        ASSERT_EQ(hipMalloc(&data_, 4), hipSuccess);
        ASSERT_EQ(hipMemset(data_, 0, 4), hipSuccess);
        ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&seen_), 4, 0), hipSuccess);
        *seen_ = -1;
    }
    void TearDown() override {
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(hipStreamDestroy(free_), hipSuccess);
        EXPECT_EQ(hipStreamDestroy(other_free_), hipSuccess);
        EXPECT_EQ(hipStreamDestroy(blocking_), hipSuccess);
        EXPECT_EQ(hipFree(data_), hipSuccess);
        EXPECT_EQ(hipHostFree(seen_), hipSuccess);
    }
    void write(hipStream_t stream, int byte) {
        ASSERT_EQ(hipMemsetAsync(data_, byte, 4, stream), hipSuccess);
    }
    void read(hipStream_t stream) {
        ASSERT_EQ(hipMemcpyAsync(seen_, data_, 4, hipMemcpyDeviceToHost, stream), hipSuccess);
    }

    hipStream_t free_ = nullptr, other_free_ = nullptr, blocking_ = nullptr;
    void* data_ = nullptr;
    int* seen_ = nullptr;
};

TEST_F(Streams, KeepTheirOrder) {
    gate held(free_);
    write(free_, 1);
    read(free_);
    EXPECT_EQ(hipStreamQuery(free_), hipErrorNotReady);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_EQ(*seen_, -1);
    held.open();
    R9V_HIP(hipStreamSynchronize(free_));
    EXPECT_EQ(*seen_, 0x01010101);
    EXPECT_EQ(hipStreamQuery(free_), hipSuccess);
}

TEST_F(Streams, DoNotWaitForEachOther) {
    gate held(free_);
    write(free_, 1);
    read(other_free_);
    R9V_HIP(hipStreamSynchronize(other_free_));
    EXPECT_EQ(*seen_, 0);
    held.open();
}

TEST_F(Streams, EventsOrderThem) {
    hipEvent_t written;
    R9V_HIP(hipEventCreateWithFlags(&written, hipEventDisableTiming));
    {
        gate held(free_);
        write(free_, 2);
        R9V_HIP(hipEventRecord(written, free_));
        EXPECT_EQ(hipEventQuery(written), hipErrorNotReady);
        R9V_HIP(hipStreamWaitEvent(other_free_, written, 0));
        read(other_free_);
        EXPECT_EQ(hipStreamQuery(other_free_), hipErrorNotReady);
        EXPECT_EQ(*seen_, -1);
        held.open();
        R9V_HIP(hipStreamSynchronize(other_free_));
    }
    EXPECT_EQ(*seen_, 0x02020202);
    EXPECT_EQ(hipEventQuery(written), hipSuccess);
    R9V_HIP(hipEventDestroy(written));
}

TEST_F(Streams, WaitIsForTheRecordAtThatTime) {
    hipEvent_t mark;
    R9V_HIP(hipEventCreate(&mark));
    R9V_HIP(hipEventRecord(mark, other_free_));
    R9V_HIP(hipStreamWaitEvent(blocking_, mark, 0));
    gate held(free_);
    R9V_HIP(hipEventRecord(mark, free_));
    R9V_HIP(hipStreamSynchronize(blocking_));
    EXPECT_EQ(hipEventQuery(mark), hipErrorNotReady);
    held.open();
    R9V_HIP(hipEventSynchronize(mark));
    R9V_HIP(hipEventDestroy(mark));
}

TEST_F(Streams, NullStreamWaitsForBlockingOnes) {
    gate held(blocking_);
    write(blocking_, 3);
    read(nullptr);
    EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
    EXPECT_EQ(*seen_, -1);
    held.open();
    R9V_HIP(hipStreamSynchronize(nullptr));
    EXPECT_EQ(*seen_, 0x03030303);
}

TEST_F(Streams, BlockingOnesWaitForTheNullStream) {
    gate held(nullptr);
    write(nullptr, 4);
    read(blocking_);
    write(free_, 5);
    R9V_HIP(hipStreamSynchronize(free_));
    EXPECT_EQ(hipStreamQuery(blocking_), hipErrorNotReady);
    held.open();
    R9V_HIP(hipStreamSynchronize(blocking_));
    EXPECT_EQ(*seen_, 0x04040404);
}

TEST_F(Streams, PageableSourcesMayChangeAfterTheCall) {
    gate held(free_);
    int source = 0x06060606;
    R9V_HIP(hipMemcpyAsync(data_, &source, 4, hipMemcpyHostToDevice, free_));
    source = 0;
    read(free_);
    held.open();
    R9V_HIP(hipStreamSynchronize(free_));
    EXPECT_EQ(*seen_, 0x06060606);
}

void note_thread(hipStream_t, hipError_t status, void* where) {
    EXPECT_EQ(status, hipSuccess);
    *static_cast<std::thread::id*>(where) = std::this_thread::get_id();
}

TEST_F(Streams, CallbacksRunOnAnotherThread) {
    std::thread::id thread;
    R9V_HIP(hipStreamAddCallback(free_, note_thread, &thread, 0));
    R9V_HIP(hipStreamSynchronize(free_));
    EXPECT_NE(thread, std::thread::id());
    EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(Streams, DestroyedStreamsFinishTheirWork) {
    hipStream_t doomed;
    R9V_HIP(hipStreamCreateWithFlags(&doomed, hipStreamNonBlocking));
    hipEvent_t done;
    R9V_HIP(hipEventCreate(&done));
    {
        gate held(doomed);
        write(doomed, 7);
        R9V_HIP(hipEventRecord(done, doomed));
        R9V_HIP(hipStreamDestroy(doomed));
        R9V_HIP_IS(hipErrorInvalidHandle, hipStreamSynchronize(doomed));
        held.open();
        R9V_HIP(hipEventSynchronize(done));
    }
    read(free_);
    R9V_HIP(hipStreamSynchronize(free_));
    EXPECT_EQ(*seen_, 0x07070707);
    R9V_HIP(hipEventDestroy(done));
}

TEST_F(Streams, Properties) {
    unsigned flags = 9;
    R9V_HIP(hipStreamGetFlags(free_, &flags));
    EXPECT_EQ(flags, unsigned{hipStreamNonBlocking});
    int least = 0, greatest = 0;
    R9V_HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT_LE(greatest, least);
    hipStream_t high;
    R9V_HIP(hipStreamCreateWithPriority(&high, hipStreamNonBlocking, greatest - 5));
    int priority = 9;
    R9V_HIP(hipStreamGetPriority(high, &priority));
    EXPECT_EQ(priority, greatest);
    R9V_HIP(hipStreamDestroy(high));
    R9V_HIP_IS(hipErrorInvalidValue, hipStreamCreateWithFlags(&high, 77));
}

TEST_F(Streams, PerThreadStreams) {
    const gate held(blocking_);
    write(free_, 1);
    R9V_HIP(hipStreamSynchronize(free_));
    read(hipStreamPerThread);
    R9V_HIP(hipStreamSynchronize(hipStreamPerThread));
    EXPECT_EQ(*seen_, 0x01010101);
}

TEST_F(Streams, ManyThreadsUseThemAtOnce) {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            hipStream_t own;
            int *device, *host;
            wrong += hipStreamCreateWithFlags(&own, hipStreamNonBlocking) != hipSuccess;
            wrong += hipMalloc(reinterpret_cast<void**>(&device), 4) != hipSuccess;
            wrong += hipHostMalloc(reinterpret_cast<void**>(&host), 4, 0) != hipSuccess;
            for (int i = 0; i < 200; ++i) {
                const int byte = (t * 50 + i) % 100;
                wrong += hipMemsetAsync(device, byte, 4, own) != hipSuccess;
                wrong += hipMemcpyAsync(host, device, 4, hipMemcpyDeviceToHost, own) != hipSuccess;
                wrong += hipStreamSynchronize(own) != hipSuccess;
                wrong += *host != byte * 0x01010101;
            }
            wrong += hipFree(device) != hipSuccess;
            wrong += hipHostFree(host) != hipSuccess;
            wrong += hipStreamDestroy(own) != hipSuccess;
        });
    }
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(Streams, StreamOrderedAllocation) {
    int* data = nullptr;
    R9V_HIP(hipMallocAsync(reinterpret_cast<void**>(&data), 64, free_));
    R9V_HIP(hipMemsetAsync(data, 8, 4, free_));
    {
        gate held(free_);
        R9V_HIP(hipMemcpyAsync(seen_, data, 4, hipMemcpyDeviceToHost, free_));
        R9V_HIP(hipFreeAsync(data, free_));
        held.open();
        R9V_HIP(hipStreamSynchronize(free_));
    }
    EXPECT_EQ(*seen_, 0x08080808);
    R9V_HIP_IS(hipErrorInvalidValue, hipFreeAsync(data, free_));
}

TEST_F(Streams, ElapsedTime) {
    hipEvent_t begin, end, untimed;
    R9V_HIP(hipEventCreate(&begin));
    R9V_HIP(hipEventCreate(&end));
    R9V_HIP(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    float time = -1;
    R9V_HIP_IS(hipErrorInvalidHandle, hipEventElapsedTime(&time, begin, end));
    R9V_HIP(hipEventRecord(begin, free_));
    R9V_HIP(hipEventSynchronize(begin));
    {
        gate held(free_);
        R9V_HIP(hipEventRecord(end, free_));
        R9V_HIP(hipEventRecord(untimed, free_));
        EXPECT_EQ(hipEventElapsedTime(&time, begin, end), hipErrorNotReady);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        held.open();
        R9V_HIP(hipEventSynchronize(end));
    }
    R9V_HIP(hipEventElapsedTime(&time, begin, end));
    EXPECT_GE(time, 19.0F);
    R9V_HIP(hipStreamSynchronize(free_));
    R9V_HIP_IS(hipErrorInvalidHandle, hipEventElapsedTime(&time, begin, untimed));
    for (const auto event : {begin, end, untimed})
        R9V_HIP(hipEventDestroy(event));
    R9V_HIP_IS(hipErrorInvalidHandle, hipEventDestroy(begin));
}

} // namespace
