// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What nothing orders: accesses of different waves to one place in device memory, and work of
// different streams.

#include <r9v_emulator/testing.hpp>

#include "support.hpp"
#include <set>

namespace {

using r9v_emulator::fault;

std::vector<fault> faults_of_the_device() {
    static_cast<void>(hipDeviceSynchronize());
    auto faults = r9v_emulator::take_faults();
    static_cast<void>(hipGetLastError());
    return faults;
}

/// Options of a scope in which one host thread runs workgroups in their order.
r9v_emulator::execution_options in_order() {
    auto options = r9v_emulator::options();
    options.host_threads = 1;
    options.seed = 0;
    return options;
}

class GlobalRaces : public ::testing::Test {
protected:
    template<class... Arguments>
    void run(void (*kernel)(Arguments...), unsigned blocks, unsigned threads,
             std::type_identity_t<Arguments>... arguments) {
        kernel<<<blocks, threads>>>(arguments...);
    }

    const r9v_emulator::scoped_options scope_{in_order()};
    device_array<int> data_{std::vector<int>(1024, 7)};
    device_array<int> more_{std::vector<int>(1024, 0)};
};

__global__ void write_first(int* to) {
    if (threadIdx.x == 0) to[0] = static_cast<int>(blockIdx.x);
}

TEST_F(GlobalRaces, TwoWorkgroupsWriteOnePlace) {
    run(write_first, 2, 32, data_.data());
    const auto faults = faults_of_the_device();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].kind, "global race");
    EXPECT_NE(faults[0].detail.find("write after write: wave 0 of workgroup 0"), std::string::npos)
        << faults[0].detail;
}

__global__ void use_neighbour(const int* from, int* to) {
    // The first workgroup writes what the second reads.
    if (blockIdx.x == 0) to[threadIdx.x] = from[threadIdx.x];
    if (blockIdx.x == 1) to[512 + threadIdx.x] = to[threadIdx.x] + 1;
}

TEST_F(GlobalRaces, AReadOfWhatAnotherWorkgroupWrites) {
    run(use_neighbour, 2, 32, data_.data(), more_.data());
    const auto faults = faults_of_the_device();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].kind, "poison reaches a global store");
    EXPECT_NE(faults[0].detail.find("wave 0 of workgroup 0 has written"), std::string::npos)
        << faults[0].detail;
}

__global__ void ignore_neighbour(const int* from, int* to, int never) {
    if (blockIdx.x == 0) to[threadIdx.x] = from[threadIdx.x];
    if (blockIdx.x == 1) {
        const int seen = to[threadIdx.x];
        to[512 + threadIdx.x] = static_cast<int>(threadIdx.x) == never ? seen : 3;
    }
}

TEST_F(GlobalRaces, AReadThatIsNotUsedIsNone) {
    run(ignore_neighbour, 2, 32, data_.data(), more_.data(), 99);
    EXPECT_TRUE(faults_of_the_device().empty());
}

__global__ void overwrite_neighbour(int* data) {
    if (blockIdx.x == 0) data[512 + threadIdx.x] = data[threadIdx.x];
    if (blockIdx.x == 1) data[threadIdx.x] = 1;
}

TEST_F(GlobalRaces, AnOverwrittenReadIsReportedOnRequest) {
    run(overwrite_neighbour, 2, 32, data_.data());
    EXPECT_TRUE(faults_of_the_device().empty());
    auto all = in_order();
    all.report_overwritten_reads = true;
    const r9v_emulator::scoped_options scope{all};
    run(overwrite_neighbour, 2, 32, data_.data());
    const auto faults = faults_of_the_device();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].detail.find("write after read"), std::string::npos) << faults[0].detail;
}

template<bool Barrier>
__global__ void hand_over_in_a_group(int* data, int* to) {
    data[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (Barrier) __syncthreads();
    to[threadIdx.x] = data[threadIdx.x ^ 32];
}

TEST_F(GlobalRaces, BarriersOrderTheWavesOfAWorkgroup) {
    run(hand_over_in_a_group<true>, 3, 64, data_.data(), more_.data());
    // Three workgroups write the same places.
    EXPECT_EQ(faults_of_the_device().size(), 2U);
    run(hand_over_in_a_group<true>, 1, 64, data_.data(), more_.data());
    EXPECT_TRUE(faults_of_the_device().empty());
    run(hand_over_in_a_group<false>, 1, 64, data_.data(), more_.data());
    EXPECT_FALSE(faults_of_the_device().empty());
}

__global__ void last_one_sums(int* data, int* flag, int* to) {
    data[blockIdx.x * 32 + threadIdx.x] = static_cast<int>(blockIdx.x);
    __threadfence();
    int before = 0;
    if (threadIdx.x == 0) before = atomicAdd(flag, 1);
    before = __shfl(before, 0);
    if (before != static_cast<int>(gridDim.x) - 1) return;
    __threadfence();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
        sum += data[b * 32 + threadIdx.x];
    to[threadIdx.x] = sum;
}

TEST_F(GlobalRaces, ReleaseAndAcquireOrderWorkgroups) {
    device_array<int> flag{std::vector<int>(1, 0)};
    run(last_one_sums, 8, 32, data_.data(), flag.data(), more_.data());
    EXPECT_TRUE(faults_of_the_device().empty());
    EXPECT_EQ(more_.host()[5], 28);
}

__global__ void neighbouring_bytes(unsigned char* to) {
    to[blockIdx.x] = static_cast<unsigned char>(blockIdx.x);
}
__global__ void count_up(int* to) {
    atomicAdd(to + threadIdx.x % 4, 1);
}

TEST_F(GlobalRaces, NeighbouringBytesAndAtomicsAreNone) {
    run(neighbouring_bytes, 64, 1, reinterpret_cast<unsigned char*>(data_.data()));
    run(count_up, 64, 64, more_.data());
    EXPECT_TRUE(faults_of_the_device().empty());
    EXPECT_EQ(more_.host()[0], 64 * 16);
}

TEST_F(GlobalRaces, LaunchesAreOrdered) {
    for (int i = 0; i < 1200; ++i) // more than there are numbers of launches
        run(write_first, 1, 32, data_.data());
    EXPECT_TRUE(faults_of_the_device().empty());
}

// Work of streams.

__global__ void put(int* to, int value) {
    *to = value;
}

struct pinned_int {
    pinned_int() { EXPECT_EQ(hipHostMalloc(&value, sizeof(int)), hipSuccess); }
    ~pinned_int() { static_cast<void>(hipHostFree(value)); }
    int* value = nullptr;
};

class Deferred : public ::testing::Test {
protected:
    void SetUp() override {
        R9V_HIP(hipStreamCreate(&first_));
        R9V_HIP(hipStreamCreateWithFlags(&second_, hipStreamNonBlocking));
    }
    void TearDown() override {
        R9V_HIP(hipStreamDestroy(first_));
        R9V_HIP(hipStreamDestroy(second_));
    }
    static r9v_emulator::execution_options seeded(std::uint64_t seed) {
        auto options = r9v_emulator::options();
        options.seed = seed;
        return options;
    }

    hipStream_t first_ = nullptr, second_ = nullptr;
    device_array<int> data_{std::vector<int>(1, 0)};
    pinned_int seen_;
};

TEST_F(Deferred, NothingIsDoneBeforeSomebodyWaits) {
    *seen_.value = 1;
    R9V_HIP(hipDeviceSynchronize());
    const r9v_emulator::scoped_options scope{seeded(3)};
    put<<<1, 1, 0, first_>>>(data_.data(), 2);
    R9V_HIP(hipMemcpyAsync(seen_.value, data_.data(), sizeof(int), hipMemcpyDeviceToHost, first_));
    EXPECT_EQ(*seen_.value, 1) << "a program that forgets to wait reads the old value";
    R9V_HIP(hipStreamSynchronize(first_));
    EXPECT_EQ(*seen_.value, 2);
}

TEST_F(Deferred, StreamsComeInEveryOrderThatEventsAllow) {
    std::set<int> free, ordered;
    hipEvent_t mark;
    R9V_HIP(hipEventCreate(&mark));
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        const r9v_emulator::scoped_options scope{seeded(seed)};
        put<<<1, 1, 0, first_>>>(data_.data(), 1);
        put<<<1, 1, 0, second_>>>(data_.data(), 2);
        R9V_HIP(hipDeviceSynchronize());
        free.insert(data_.host()[0]);
        put<<<1, 1, 0, first_>>>(data_.data(), 1);
        R9V_HIP(hipEventRecord(mark, first_));
        R9V_HIP(hipStreamWaitEvent(second_, mark, 0));
        put<<<1, 1, 0, second_>>>(data_.data(), 2);
        R9V_HIP(hipDeviceSynchronize());
        ordered.insert(data_.host()[0]);
    }
    EXPECT_EQ(free, (std::set<int>{1, 2}));
    EXPECT_EQ(ordered, std::set<int>{2});
    R9V_HIP(hipEventDestroy(mark));
}

TEST_F(Deferred, WorkThatNobodyWaitsForIsDoneInTheEnd) {
    *seen_.value = 0;
    const r9v_emulator::scoped_options scope{seeded(5)};
    put<<<1, 1, 0, second_>>>(seen_.value, 4);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (*static_cast<volatile int*>(seen_.value) != 4) {
        ASSERT_LT(std::chrono::steady_clock::now(), limit);
        std::this_thread::yield();
    }
}

TEST_F(Deferred, GraphsOfOneShapeMayReplaceEachOther) {
    const r9v_emulator::scoped_options scope{seeded(9)};
    hipGraph_t graphs[2];
    for (auto& graph : graphs) {
        R9V_HIP(hipStreamBeginCapture(first_, hipStreamCaptureModeThreadLocal));
        for (int i = 0; i < 4; ++i)
            put<<<1, 1, 0, first_>>>(data_.data(), i);
        R9V_HIP(hipStreamEndCapture(first_, &graph));
    }
    hipGraphExec_t instance;
    R9V_HIP(hipGraphInstantiate(&instance, graphs[0], nullptr, nullptr, 0));
    hipGraphNode_t node = nullptr;
    hipGraphExecUpdateResult result;
    R9V_HIP(hipGraphExecUpdate(instance, graphs[1], &node, &result));
    R9V_HIP(hipGraphLaunch(instance, first_));
    R9V_HIP(hipStreamSynchronize(first_));
    EXPECT_EQ(data_.host()[0], 3);
    R9V_HIP(hipGraphExecDestroy(instance));
    for (auto& graph : graphs)
        R9V_HIP(hipGraphDestroy(graph));
}

} // namespace
