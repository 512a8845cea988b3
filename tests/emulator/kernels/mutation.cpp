// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Takes each wait and barrier out of the large GEMM kernel, one at a time: the strict emulator must
// report it, or nothing can have depended on it.

#include "problem.hpp"
#include <cstdio>
#include <map>
#include <string>

namespace r9v_test {

namespace {

using r9v_emulator::listed_instruction;

std::vector<std::uint16_t> bits_of(const std::vector<half>& values) {
    std::vector<std::uint16_t> bits;
    for (const half v : values)
        bits.push_back(v.bits);
    return bits;
}

/// How often each instruction runs in one launch of the program.
template<class Program>
std::map<std::uint64_t, std::uint64_t> executions(const problem<half>& p, const Program& program) {
    auto options = r9v_emulator::options();
    options.profile = true;
    const r9v_emulator::scoped_options profiled{options};
    p.count(program);
    std::map<std::uint64_t, std::uint64_t> executed;
    for (const auto& line : r9v_emulator::last_launch().profile)
        executed[line.pc] = line.executed;
    return executed;
}

TEST(mutation, every_wait_and_barrier_of_the_large_kernel_matters) {
    const problem<half> p{256, 256, 160};
    const auto program = p.fused();
    const auto executed = executions(p, program);
    const auto wanted = bits_of(p.memory_y.download(p.s));
    ASSERT_TRUE(r9v_emulator::take_faults().empty());

    int reported = 0;
    int idle = 0;
    const std::vector<listed_instruction> waits = r9v_emulator::waits_of("gemm_tile{128, 128, 32");
    ASSERT_GT(waits.size(), 20u);
    for (const listed_instruction& wait : waits) {
        if (executed.count(wait.pc) == 0) continue; // on the path of another shape
        auto options = r9v_emulator::options();
        options.dropped = {wait.pc};
        options.branch_limit = 100'000;
        const r9v_emulator::scoped_options mutated{options};
        (void)r9v::try_launch(p.s, r9v::only<large_tile>(program));
        (void)hipStreamSynchronize(p.s.handle());
        if (!r9v_emulator::take_faults().empty()) {
            ++reported;
            continue;
        }
        ++idle;
        std::printf("nothing depends on %#llx  %s\n", static_cast<unsigned long long>(wait.pc),
                    wait.text.c_str());
        EXPECT_EQ(bits_of(p.memory_y.download(p.s)), wanted) << wait.text;
    }
    std::printf("%d of %d waits and barriers are reported when dropped\n", reported,
                reported + idle);
    // A wait that nothing depends on finds nothing outstanding: the compiler places a few where
    // paths join.
    EXPECT_GE(reported, 20);
    EXPECT_LE(idle, 4);
}

} // namespace

} // namespace r9v_test
