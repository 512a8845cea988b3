// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Planted mistakes: each is reported with its kernel, instruction and lane; clean kernels give no
// report.

#include "problem.hpp"
#include <string>

namespace r9v_test {

namespace {

using r9v_emulator::fault;

/// The first fault of what ran since the last call; fails the test when there is none.
fault first_fault() {
    (void)hipDeviceSynchronize();
    const std::vector<fault> faults = r9v_emulator::take_faults();
    (void)hipGetLastError();
    EXPECT_FALSE(faults.empty()) << "nothing was reported";
    return faults.empty() ? fault{} : faults.front();
}

void expect_named(const fault& f, const char* kind, const char* kernel) {
    EXPECT_NE(f.kind.find(kind), std::string::npos) << f.text();
    EXPECT_NE(f.kernel.find(kernel), std::string::npos) << f.text();
    EXPECT_FALSE(f.instruction.empty()) << f.text();
    EXPECT_GE(f.wave, 0) << f.text();
    EXPECT_GE(f.lane, 0) << f.text();
}

class planted : public ::testing::Test {
protected:
    static constexpr index_t size = 64;
    const problem<half> p{size, size, size};
};

TEST_F(planted, an_input_four_bytes_too_short) {
    const buffer<half> shorter{random_elements<half>(size * size - 2, 9)};
    const r9v::tensor<half, 2> x{shorter.data(), {size, size}};
    r9v::launch(p.s, r9v::gemm(x, p.memory_w.view({size, size})) |
                         r9v::store(p.memory_y.view({size, size})));
    const fault f = first_fault();
    expect_named(f, "out of bounds", "gemm_kernel");
    EXPECT_NE(f.detail.find(std::to_string(size * size * 2 - 4)), std::string::npos) << f.text();
}

TEST_F(planted, a_result_four_bytes_too_short) {
    const buffer<half> shorter{size * size - 2};
    r9v::launch(p.s, p.product() | r9v::store(shorter.view({size, size})));
    expect_named(first_fault(), "out of bounds", "gemm_kernel");
}

TEST_F(planted, an_input_never_written) {
    const buffer<half> fresh{size * size};
    r9v::launch(p.s, r9v::gemm(fresh.view({size, size}), p.memory_w.view({size, size})) |
                         r9v::store(p.memory_y.view({size, size})));
    expect_named(first_fault(), "poison reaches", "gemm_kernel");
}

TEST_F(planted, one_element_never_written) {
    const buffer<half> fresh{size * size};
    fresh.upload(random_elements<half>(size * size - 1, 9).data(), size * size - 1);
    r9v::launch(p.s, r9v::gemm(fresh.view({size, size}), p.memory_w.view({size, size})) |
                         r9v::store(p.memory_y.view({size, size})));
    expect_named(first_fault(), "poison reaches", "gemm_kernel");
}

TEST_F(planted, an_input_already_freed) {
    const half* gone = nullptr;
    {
        const buffer<half> short_lived{random_elements<half>(size * size, 9)};
        gone = short_lived.data();
    }
    const r9v::tensor<const half, 2> x{gone, {size, size}};
    r9v::launch(p.s, r9v::gemm(x, p.memory_w.view({size, size})) |
                         r9v::store(p.memory_y.view({size, size})));
    const fault f = first_fault();
    expect_named(f, "", "gemm_kernel");
    EXPECT_NE(f.text().find("freed"), std::string::npos) << f.text();
}

/// Each wave doubles what another one put into LDS; `Stage` is where it looks for it.
template<bool Barrier, int Stage>
__global__ void pass_on(const int* from, int* to) {
    __shared__ int stages[2][64];
    const unsigned t = threadIdx.x;
    stages[0][t] = from[t];
    if (Barrier) __syncthreads();
    to[t] = 2 * stages[Stage][63 - t];
}

template<bool Barrier, int Stage>
void run_pass_on() {
    const buffer<int> from{std::vector<int>(64, 3)};
    const buffer<int> to{64};
    pass_on<Barrier, Stage><<<1, 64>>>(from.data(), to.data());
    (void)hipDeviceSynchronize();
}

TEST(planted_in_lds, a_clean_kernel_gives_no_report) {
    run_pass_on<true, 0>();
    EXPECT_TRUE(r9v_emulator::take_faults().empty());
}

TEST(planted_in_lds, a_missing_barrier) {
    run_pass_on<false, 0>();
    const fault f = first_fault();
    EXPECT_TRUE(f.kind.find("LDS race") != std::string::npos ||
                f.kind.find("poison") != std::string::npos)
        << f.text();
    expect_named(f, "", "pass_on");
}

TEST(planted_in_lds, the_wrong_stage) {
    run_pass_on<true, 1>();
    expect_named(first_fault(), "poison reaches", "pass_on");
}

/// Writes stage 1 while another wave may still read it: the barrier stands in the wrong place.
__global__ void early_overwrite(const int* from, int* to) {
    __shared__ int stage[64];
    const unsigned t = threadIdx.x;
    stage[t] = from[t];
    __syncthreads();
    const int seen = stage[63 - t];
    stage[t] = 7;
    to[t] = seen;
}

TEST(planted_in_lds, a_stage_overwritten_while_it_is_read) {
    const buffer<int> from{std::vector<int>(64, 3)};
    const buffer<int> to{64};
    early_overwrite<<<1, 64>>>(from.data(), to.data());
    expect_named(first_fault(), "LDS race", "early_overwrite");
}

TEST_F(planted, a_register_used_before_its_wait) {
    // Leave out the first wait for a load that this launch passes.
    p.count(p.plain());
    auto options = r9v_emulator::options();
    for (const auto& wait : r9v_emulator::waits_of(r9v_emulator::last_launch().kernel)) {
        if (wait.text.find("loadcnt") == std::string::npos) continue;
        options.dropped = {wait.pc};
        const r9v_emulator::scoped_options mutated{options};
        (void)r9v::try_launch(p.s, r9v::only<large_tile>(p.plain()));
        (void)hipDeviceSynchronize();
        const std::vector<fault> faults = r9v_emulator::take_faults();
        (void)hipGetLastError();
        if (faults.empty()) continue; // on the path of another shape
        expect_named(faults.front(), "before wait", "gemm_kernel");
        return;
    }
    ADD_FAILURE() << "no wait for a load was found";
}

TEST(planted_on_the_host, a_dereference_of_a_device_pointer) {
    const buffer<int> memory{std::vector<int>(16, 1)};
    const volatile int* pointer = memory.data();
    EXPECT_DEATH((void)*pointer, "r9v-emulator: host access to device memory");
}

} // namespace

} // namespace r9v_test
