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

/// Four waves in two pairs, each pair at a named barrier of its own: a wave reads what the other
/// one of its pair has written before it.
TEST(scalar, named_barriers) {
    workbench bench;
    bench.add(
        "pairs",
        "  s_load_b64 s[2:3], s[0:1], 0x0\n  v_lshrrev_b32 v1, 6, v0\n"
        "  v_readfirstlane_b32 s4, v1\n  s_add_co_u32 s4, s4, 1\n"
        "  v_lshlrev_b32 v2, 2, v0\n  v_xor_b32 v3, 0x80, v2\n"
        // Each pair's barrier has two members; both waves set it up alike, then all meet once.
        "  s_or_b32 m0, s4, 0x20000\n  s_barrier_init m0\n"
        "  s_barrier_signal -1\n  s_barrier_wait 0xffff\n"
        "  s_mov_b32 m0, s4\n  s_barrier_join m0\n"
        "  ds_store_b32 v2, v0\n  s_wait_dscnt 0x0\n  s_wait_kmcnt 0x0\n"
        "  s_barrier_signal m0\n  s_barrier_wait 1\n"
        "  s_get_barrier_state s5, -1\n  s_barrier_signal -1\n  s_barrier_wait 0xffff\n"
        "  ds_load_b32 v4, v3\n  s_wait_dscnt 0x0\n  global_store_b32 v2, v4, s[2:3]",
        {.lds_bytes = 512});
    ASSERT_TRUE(bench.build());
    const u64 to = bench.device().allocate(512);
    const auto result = bench.run("pairs", 1, 128, addresses({to, 0}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 128);
    for (u32 t = 0; t < 128; ++t)
        EXPECT_EQ(out[t], t ^ 32);
}

/// Workgroups that wait for one another make progress although one host thread runs them all.
TEST(scalar, spinning_workgroups) {
    workbench bench;
    // Workgroup n waits until the counter is at (blocks - 1 - n): the last one goes first.
    bench.add("turns",
              "  s_load_b64 s[2:3], s[0:1], 0x0\n  s_sub_co_u32 s4, 7, ttmp9\n  v_mov_b32 v1, 0\n"
              "  v_mov_b32 v2, 1\n  s_wait_kmcnt 0x0\n.Lspin:\n"
              "  global_load_b32 v3, v1, s[2:3] scope:SCOPE_DEV\n  s_wait_loadcnt 0x0\n"
              "  v_readfirstlane_b32 s5, v3\n  s_sleep 1\n  s_cmp_lg_u32 s5, s4\n"
              "  s_cbranch_scc1 .Lspin\n  global_atomic_add_u32 v1, v2, s[2:3]\n");
    ASSERT_TRUE(bench.build());
    const u64 counter = bench.upload(std::vector<u32>{0});
    execution_options options;
    options.host_threads = 1;
    const auto result = bench.run("turns", 8, 1, addresses({counter, 0}), options);
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    EXPECT_EQ(bench.download<u32>(counter, 1)[0], 8u);
}

} // namespace
} // namespace instructions
