// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Branches of every condition, moves by M0, registers of the hardware, and hints, which do nothing.
#include "scalar_bench.hpp"

namespace instructions {
namespace {

using in = scalar_in;

TEST(control, branches) {
    std::vector<scalar_case> cases;
    const auto add = [&](const std::string& branch, const std::string& set, auto taken) {
        cases.push_back({set + "s_mov_b32 s12, 1\n s_cbranch_" + branch + " .Lto_" + branch +
                             "\n s_mov_b32 s12, 2\n.Lto_" + branch + ":\n s_mov_b32 exec_lo, 1",
                         [=](in i) { return scalar_output{taken(i) ? 1u : 2u, false}; }, false});
    };
    const std::string low = "s_and_b32 s8, s8, 1\n ";
    add("scc0", low + "s_cmp_eq_u32 s8, 0\n ", [](in i) { return (i.a & 1) != 0; });
    add("vccnz", low + "s_mov_b32 vcc_lo, s8\n ", [](in i) { return (i.a & 1) != 0; });
    add("execz", low + "s_mov_b32 exec_lo, s8\n ", [](in i) { return (i.a & 1) == 0; });
    add("execnz", low + "s_mov_b32 exec_lo, s8\n ", [](in i) { return (i.a & 1) != 0; });
    cases.push_back({"s_mov_b32 s12, s8\n s_call_b64 s[20:21], .Lfunction\n s_branch .Lend\n"
                     ".Lfunction:\n s_not_b32 s12, s12\n s_setpc_b64 s[20:21]\n.Lend:",
                     [](in i) { return scalar_output{static_cast<u32>(~i.a), false}; }, false});
    run_scalar_cases(cases);
}

TEST(control, moves_by_m0) {
    const std::string m0 = "s_and_b32 s20, s8, 1\n s_lshl_b32 s20, s20, 1\n s_mov_b32 m0, s20\n ";
    run_scalar_cases({
        {m0 + "s_movrels_b64 s[12:13], s[8:9]",
         [](in i) { return scalar_output{i.a & 1 ? second(i) : first(i), true}; }, false},
        {m0 + "s_mov_b32 s12, 5\n s_movreld_b32 s10, s9",
         [](in i) { return scalar_output{i.a & 1 ? i.b : 5, true}; }, false},
        {m0 + "s_movreld_b64 s[10:11], s[8:9]",
         [](in i) { return scalar_output{i.a & 1 ? first(i) : 0, true}; }, false},
        // Source two on, destination four on.
        {"s_mov_b32 m0, 0x40002\n s_movrelsd_2_b32 s8, s8",
         [](in i) { return scalar_output{i.c, true}; }, false},
    });
}

TEST(control, hardware_registers) {
    run_scalar_cases({
        {"s_round_mode 0x9\n s_getreg_b32 s12, hwreg(HW_REG_MODE, 0, 4)",
         [](in) { return scalar_output{9, true}; }, false},
        {"s_denorm_mode 0x6\n s_getreg_b32 s12, hwreg(HW_REG_MODE, 4, 4)",
         [](in) { return scalar_output{6, true}; }, false},
        {"s_setreg_b32 hwreg(HW_REG_MODE, 2, 6), s8\n s_getreg_b32 s12, hwreg(HW_REG_MODE, 0, 8)",
         [](in i) { return scalar_output{(i.a & 63) << 2, true}; }, false},
        {"s_getreg_b32 s12, hwreg(HW_REG_SHADER_CYCLES_LO)\n s_nop 0\n"
         " s_getreg_b32 s13, hwreg(HW_REG_SHADER_CYCLES_LO)\n s_cmp_gt_u32 s13, s12\n"
         " s_cselect_b32 s12, 1, 0\n s_mov_b32 s13, 0",
         [](in) { return scalar_output{1, true}; }, false},
        {"s_sendmsg_rtn_b64 s[12:13], sendmsg(MSG_RTN_GET_REALTIME)\n s_wait_kmcnt 0x0\n"
         " s_mov_b32 s12, s13\n s_mov_b32 s13, 0",
         [](in) { return scalar_output{0, true}; }, false},
        {"s_sendmsg_rtn_b32 s12, sendmsg(MSG_RTN_GET_TBA)\n s_wait_kmcnt 0x0\n s_mov_b32 s12, 0\n"
         " s_mov_b32 s13, 0",
         [](in) { return scalar_output{0, true}; }, false},
    });
}

TEST(control, hints_change_nothing) {
    const std::vector<std::string> hints = {"s_nop 3",
                                            "s_delay_alu instid0(VALU_DEP_1)",
                                            "s_clause 0x1",
                                            "s_setprio 2",
                                            "s_wait_alu 0xfffd",
                                            "s_code_end",
                                            "s_icache_inv",
                                            "s_wait_event 0x3",
                                            "s_version 0x2",
                                            "s_singleuse_vdst 0x1",
                                            "s_atc_probe 0, s[8:9], 0x0",
                                            "s_sethalt 0",
                                            "s_setkill 0",
                                            "s_incperflevel 1",
                                            "s_decperflevel 1",
                                            "s_ttracedata",
                                            "s_ttracedata_imm 1",
                                            "v_nop",
                                            "s_prefetch_inst s[20:21], 0x0, s8, 0",
                                            "s_prefetch_inst_pc_rel 0x0, s8, 0",
                                            "s_prefetch_data s[20:21], 0x0, s8, 0",
                                            "s_prefetch_data_pc_rel 0x0, s8, 0",
                                            "s_buffer_prefetch_data s[8:11], 0x0, s8, 0",
                                            "s_atc_probe_buffer 0, s[8:11], 0x0",
                                            "s_dcache_inv",
                                            "global_inv",
                                            "global_wb",
                                            "global_wbinv",
                                            "s_wait_samplecnt 0x0",
                                            "s_wait_bvhcnt 0x0",
                                            "s_wait_expcnt 0x0",
                                            "s_wait_idle",
                                            "s_wait_storecnt_dscnt 0x0",
                                            "s_sleep_var s8",
                                            "s_sendmsg sendmsg(MSG_INTERRUPT)"};
    std::vector<scalar_case> cases;
    for (const std::string& hint : hints)
        cases.push_back(
            {"s_mov_b64 s[20:21], s[0:1]\n " + hint + "\n s_mov_b64 s[12:13], s[8:9]", [](in i) {
                 return scalar_output{first(i), true};
             }});
    run_scalar_cases(cases);
}

/// Messages reach the one who started the launch.
TEST(control, messages) {
    workbench bench;
    bench.add("k", "  s_sendmsg sendmsg(MSG_INTERRUPT)\n  s_sendmsghalt sendmsg(MSG_INTERRUPT)");
    ASSERT_TRUE(bench.build());
    launch_request request;
    request.kernel = &bench.kernel("k");
    request.kernarg = bench.upload(std::vector<u32>{0, 0});
    unsigned seen = 0;
    request.message_context = &seen;
    request.on_message = [](void* context, u32 message) {
        *static_cast<unsigned*>(context) += message;
    };
    execution_options options;
    options.profile = true;
    const auto result = execute(bench.device(), request, options);
    note_executed(generation::rdna4, result);
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    EXPECT_EQ(seen, 2u);
}

/// The first wave to signal is told so, once for each time the barrier is used.
TEST(control, first_at_a_barrier) {
    workbench bench;
    bench.add("k", "  s_load_b64 s[2:3], s[0:1], 0x0\n  v_lshlrev_b32 v2, 2, v0\n"
                   "  s_barrier_signal_isfirst -1\n  s_cselect_b32 s4, 1, 0\n"
                   "  s_barrier_wait 0xffff\n  s_barrier_signal_isfirst -1\n"
                   "  s_cselect_b32 s5, 2, 0\n  s_barrier_wait 0xffff\n  s_or_b32 s4, s4, s5\n"
                   "  v_mov_b32 v1, s4\n  s_wait_kmcnt 0x0\n  global_store_b32 v2, v1, s[2:3]\n");
    ASSERT_TRUE(bench.build());
    const u64 to = bench.device().allocate(512);
    const auto result = bench.run("k", 1, 128, addresses({to, 0}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 128);
    u32 first = 0, second = 0;
    for (u32 wave = 0; wave < 4; ++wave) {
        first += out[32 * wave] & 1;
        second += out[32 * wave] >> 1;
    }
    EXPECT_EQ(first, 1u);
    EXPECT_EQ(second, 1u);
}

/// Three waves join a named barrier, one leaves, and the other two complete it.
TEST(control, leaving_a_named_barrier) {
    workbench bench;
    bench.add("k", "  s_load_b64 s[2:3], s[0:1], 0x0\n  v_lshrrev_b32 v1, 5, v0\n"
                   "  v_readfirstlane_b32 s4, v1\n  s_mov_b32 m0, 0x30002\n  s_barrier_init m0\n"
                   "  s_barrier_signal -1\n  s_barrier_wait 0xffff\n  s_mov_b32 m0, 2\n"
                   "  s_barrier_join m0\n  s_cmp_eq_u32 s4, 2\n  s_cbranch_scc1 .Lleave\n"
                   "  s_barrier_signal m0\n  s_barrier_wait 1\n  s_mov_b32 s5, 7\n"
                   "  s_branch .Lend\n.Lleave:\n  s_barrier_leave\n  s_cselect_b32 s5, 9, 0\n"
                   ".Lend:\n  v_mov_b32 v1, s5\n  v_lshlrev_b32 v2, 2, v0\n  s_wait_kmcnt 0x0\n"
                   "  global_store_b32 v2, v1, s[2:3]\n");
    ASSERT_TRUE(bench.build());
    const u64 to = bench.device().allocate(384);
    const auto result = bench.run("k", 1, 96, addresses({to, 0}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 96);
    for (u32 t = 0; t < 96; ++t)
        EXPECT_EQ(out[t], t < 64 ? 7u : 9u);
}

} // namespace
} // namespace instructions
