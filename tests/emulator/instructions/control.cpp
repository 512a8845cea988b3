// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Control flow, calls, EXEC, and what a kernel starts with.
#include "scalar_bench.hpp"

namespace instructions {
namespace {

using in = scalar_in;

TEST(scalar, control_flow) {
    run_scalar_cases({
        // A loop: multiply by adding.
        {"s_and_b32 s8, s8, 63\n s_mov_b32 s12, 0\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Ldone\n"
         ".Lloop:\n s_add_co_u32 s12, s12, s9\n s_sub_co_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n"
         " s_cbranch_scc1 .Lloop\n.Ldone:",
         [](in i) { return scalar_output{(i.a & 63) * i.b, false}; }, false},
        // A call and a return.
        {"s_getpc_b64 s[20:21]\n .Lhere:\n s_add_co_u32 s20, s20, .Lfunction-.Lhere\n "
         "s_add_co_ci_u32 s21, s21, 0\n"
         " s_swappc_b64 s[30:31], s[20:21]\n s_branch .Lafter\n.Lfunction:\n s_not_b32 s12, s8\n"
         " s_setpc_b64 s[30:31]\n.Lafter:",
         [](in i) { return scalar_output{static_cast<u32>(~i.a), false}; }, false},
        {"s_mov_b32 exec_lo, s8\n s_and_saveexec_b32 s12, s9\n s_mov_b32 s13, exec_lo\n s_mov_b32 "
         "exec_lo, 1",
         [](in i) {
             return scalar_output{pair(i.a, i.a & i.b), (i.a & i.b) != 0};
         }},
        {"s_mov_b32 exec_lo, s8\n s_or_saveexec_b32 s12, s9\n s_mov_b32 s13, exec_lo\n s_mov_b32 "
         "exec_lo, 1",
         [](in i) {
             return scalar_output{pair(i.a, i.a | i.b), (i.a | i.b) != 0};
         }},
        {"s_mov_b32 exec_lo, s8\n s_and_not1_saveexec_b32 s12, s9\n s_mov_b32 s13, exec_lo\n "
         "s_mov_b32 exec_lo, 1",
         [](in i) {
             return scalar_output{pair(i.a, i.b & ~i.a), (i.b & ~i.a) != 0};
         }},
        {"s_mov_b32 vcc_lo, s8\n s_mov_b32 s12, 1\n s_cbranch_vccz .Lz\n s_mov_b32 s12, 2\n.Lz:",
         [](in i) { return scalar_output{i.a ? 2u : 1u, false}; }, false},
    });
}

/// Workitem and workgroup ids arrive as the descriptor's bits ask for.
TEST(scalar, entry_state) {
    workbench bench;
    const std::string store =
        "  s_load_b64 s[0:1], s[0:1], 0x0\n  s_mul_i32 s4, s8, 96\n  v_bfe_u32 v1, v0, 0, 10\n"
        "  v_bfe_u32 v2, v0, 10, 10\n  v_bfe_u32 v3, v0, 20, 10\n  v_mad_u32_u24 v4, v3, 2, v2\n"
        "  v_mad_u32_u24 v4, v4, 3, v1\n  v_add_nc_u32 v4, s4, v4\n  v_lshlrev_b32 v4, 2, v4\n"
        "  v_mov_b32 v5, s9\n  v_lshl_or_b32 v5, v5, 10, v0\n  s_wait_kmcnt 0x0\n";
    bench.add(
        "ids",
        "  s_and_b32 s9, ttmp7, 0xffff\n  s_lshr_b32 s10, ttmp7, 16\n  s_mov_b32 s8, ttmp9\n" +
            store + "  global_store_b32 v4, v0, s[0:1]",
        {.workitem_dimensions = 2});
    ASSERT_TRUE(bench.build());
    const u64 to = bench.device().allocate(2 * 96 * 4);
    launch_request request;
    request.kernel = &bench.kernel("ids");
    request.blocks[0] = 2;
    request.threads[0] = 3;
    request.threads[1] = 2;
    request.threads[2] = 5;
    request.kernarg = bench.upload(addresses({to, 0}));
    const auto result = execute(bench.device(), request, {});
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 192);
    for (u32 block = 0; block < 2; ++block)
        for (u32 z = 0; z < 5; ++z)
            for (u32 y = 0; y < 2; ++y)
                for (u32 x = 0; x < 3; ++x)
                    EXPECT_EQ(out[block * 96 + (z * 2 + y) * 3 + x], x | y << 10 | z << 20);
    EXPECT_EQ(result.counts.waves, 2u);
}

} // namespace
} // namespace instructions
