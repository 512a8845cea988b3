// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar instructions over random and special operands, one workgroup a case.
#pragma once

#include "bench.hpp"

namespace instructions {

struct scalar_input {
    u32 a, b, c, d;
};
struct scalar_output {
    u64 value;
    bool scc;
};
struct scalar_case {
    std::string text; ///< s8..s11 are the inputs; result in s[12:13] (s13 starts 0), SCC
    std::function<scalar_output(const scalar_input&)> expected;
    bool checks_scc = true;
};

inline void run_scalar_round(workbench& bench, const std::vector<scalar_case>& cases, u64 seed) {
    std::mt19937_64 random(seed);
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    const u32 special[] = {0,  1,  0xffffffff, 0x80000000, 0x7fffffff,
                           31, 32, 63,         0x00080004, 0x00100020};
    constexpr u32 blocks = 300;
    std::vector<u32> input;
    for (u32 n = 0; n < blocks * 4; ++n)
        input.push_back(random() % 3 == 0 ? special[random() % std::size(special)]
                                          : static_cast<u32>(random()));
    const u64 from = bench.upload(input), to = bench.device().allocate(blocks * 16);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto result = bench.run("c" + std::to_string(n), blocks, 1, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].text << "\n" << describe(result.faults);
        const auto out = bench.download<u32>(to, blocks * 4);
        for (u32 k = 0; k < blocks; ++k) {
            const scalar_input in{input[4 * k], input[4 * k + 1], input[4 * k + 2],
                                  input[4 * k + 3]};
            const scalar_output want = cases[n].expected(in);
            ASSERT_EQ(pair(out[4 * k], out[4 * k + 1]), want.value)
                << cases[n].text << std::hex << " of " << in.a << " " << in.b << " " << in.c << " "
                << in.d;
            if (cases[n].checks_scc)
                ASSERT_EQ(out[4 * k + 2] != 0, want.scc)
                    << cases[n].text << std::hex << " of " << in.a << " " << in.b;
        }
    }
}

inline void run_scalar_cases(const std::vector<scalar_case>& cases) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add(
            "c" + std::to_string(n),
            "  s_load_b128 s[0:3], s[0:1], 0x0\n  s_lshl_b32 s4, ttmp9, 4\n  s_mov_b32 s5, 0\n"
            "  s_wait_kmcnt 0x0\n  s_add_nc_u64 s[0:1], s[0:1], s[4:5]\n  s_add_nc_u64 s[2:3], "
            "s[2:3], s[4:5]\n"
            "  s_load_b128 s[8:11], s[0:1], 0x0\n  s_mov_b32 s12, 0\n  s_mov_b32 s13, 0\n  "
            "s_wait_kmcnt 0x0\n"
            "  s_cmp_eq_u32 s12, s12\n  " +
                cases[n].text +
                "\n  s_cselect_b32 s14, 1, 0\n  v_mov_b32 v1, s12\n  v_mov_b32 v2, s13\n  "
                "v_mov_b32 v3, s14\n"
                "  v_mov_b32 v4, 0\n  global_store_b96 v4, v[1:3], s[2:3]");
    ASSERT_TRUE(bench.build());
    for (unsigned round = 0; round < fuzz_rounds(); ++round) {
        run_scalar_round(bench, cases, 12001 + 100000 * u64{round});
        if (testing::Test::HasFatalFailure()) return;
    }
}

using scalar_in = const scalar_input&;
inline i32 s(u32 x) {
    return static_cast<i32>(x);
}
inline scalar_output nonzero(u64 x) {
    return {x, x != 0};
}
inline u64 first(scalar_in i) {
    return pair(i.a, i.b);
}
inline u64 second(scalar_in i) {
    return pair(i.c, i.d);
}

} // namespace instructions
