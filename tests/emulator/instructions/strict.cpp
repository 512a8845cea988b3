// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Strict mode: planted mistakes are reported with kernel, instruction and lane; right code is not.
#include "bench.hpp"
#include <algorithm>

namespace instructions {
namespace {

const std::string load_arguments =
    "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n  s_wait_kmcnt 0x0\n";

struct mistake {
    std::string name, body;
    std::string kind, instruction;
    int lane = -1; ///< -1: not looked at
    u32 threads = 32;
    kernel_options options = {};
};

/// A fault as expected, and none at all when `kind` is empty. A race may show as poison as well,
/// since the early reader finds nothing written.
void run(const std::vector<mistake>& list) {
    workbench bench;
    for (const mistake& m : list)
        bench.add(m.name, load_arguments + m.body, m.options);
    ASSERT_TRUE(bench.build());
    const u64 from = bench.upload(std::vector<u32>(64, 3), "weights"),
              to = bench.device().allocate(4096, 256, "output");
    for (const mistake& m : list) {
        execution_options options;
        options.host_threads = 1;
        options.branch_limit = 10000;
        const auto result = bench.run(m.name, 1, m.threads, addresses({from, to}), options);
        if (m.kind.empty()) {
            EXPECT_TRUE(result.faults.empty()) << m.name << "\n" << describe(result.faults);
            continue;
        }
        ASSERT_FALSE(result.faults.empty()) << m.name;
        const auto found = std::find_if(result.faults.begin(), result.faults.end(),
                                        [&](const fault& f) { return f.kind == m.kind; });
        ASSERT_NE(found, result.faults.end()) << m.name << "\n" << describe(result.faults);
        const fault& f = *found;
        EXPECT_EQ(f.kernel, m.name);
        EXPECT_TRUE(f.instruction.starts_with(m.instruction)) << m.name << f.text();
        if (m.lane >= 0) EXPECT_EQ(f.lane, m.lane) << m.name << f.text();
        EXPECT_EQ(f.pc % 4, 0u);
    }
}

TEST(strict, memory) {
    run({
        {"past_the_end", "global_load_b32 v1, v10, s[0:1] offset:132\n", "out of bounds",
         "global_load_b32", 31},
        {"before_the_begin", "global_load_b32 v1, v10, s[0:1] offset:-4\n", "out of bounds",
         "global_load_b32", 0},
        {"partly_past", "global_load_b64 v[1:2], v10, s[0:1] offset:128\n", "out of bounds",
         "global_load_b64", 31},
        {"store_past",
         "v_mov_b32 v1, 0\n v_lshlrev_b32 v2, 7, v0\n global_store_b32 v2, v1, s[2:3] offset:128\n",
         "out of bounds", "global_store_b32", 31},
        {"null_pointer", "v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n global_load_b32 v1, v[1:2], off\n",
         "out of bounds", "global_load_b32", 0},
        {"scalar_past", "s_load_b64 s[4:5], s[0:1], 0xfc\n", "out of bounds", "s_load_b64"},
        {"lds_past",
         "v_mov_b32 v1, 0\n ds_store_b32 v10, v1 offset:4\n",
         "LDS out of bounds",
         "ds_store_b32",
         31,
         32,
         {.lds_bytes = 128}},
        {"scratch_past",
         "v_mov_b32 v1, 0\n scratch_store_b32 off, v1, off offset:64\n",
         "scratch out of bounds",
         "scratch_store_b32",
         0,
         32,
         {.scratch_bytes = 64}},
        {"misaligned_atomic",
         "v_mov_b32 v1, 1\n v_mov_b32 v2, 6\n global_atomic_add_u32 v2, v1, s[0:1]\n",
         "misaligned atomic", "global_atomic_add_u32", 0},
        {"unaligned_load_is_legal",
         "v_lshlrev_b32 v2, 1, v0\n global_load_b32 v1, v2, s[0:1]\n s_wait_loadcnt 0x0\n "
         "global_store_b32 v10, v1, s[2:3]\n",
         "", ""},
        {"last_byte",
         "global_load_b32 v1, v10, s[0:1] offset:128\n s_wait_loadcnt 0x0\n global_store_b32 v10, "
         "v1, s[2:3]\n",
         "", ""},
    });
}

TEST(strict, poison) {
    run({
        {"store_of_a_fresh_register", "global_store_b32 v10, v77, s[2:3]\n",
         "poison reaches a global store", "global_store_b32", 0},
        {"address_from_a_fresh_register", "global_load_b32 v1, v77, s[0:1]\n",
         "poison reaches an address", "global_load_b32", 0},
        {"arithmetic_carries",
         "v_add_nc_u32 v1, v77, v0\n v_mul_lo_u32 v1, v1, v0\n global_store_b32 v10, v1, s[2:3]\n",
         "poison reaches a global store", "global_store_b32", 0},
        {"one_lane",
         "v_mov_b32 v1, 0\n s_mov_b32 exec_lo, 0x20\n v_mov_b32 v1, v77\n s_mov_b32 exec_lo, -1\n "
         "global_store_b32 v10, v1, s[2:3]\n",
         "poison reaches a global store", "global_store_b32", 5},
        {"branch", "v_cmp_lt_u32 vcc_lo, v77, v0\n s_cbranch_vccz .Lb\n s_nop 0\n.Lb:\n",
         "poison reaches a branch", "s_cbranch_vccz"},
        {"scalar_branch", "s_cmp_eq_u32 s50, 0\n s_cbranch_scc1 .Lsb\n s_nop 0\n.Lsb:\n",
         "poison reaches a branch", "s_cbranch_scc1"},
        {"exec", "v_cmp_lt_u32 vcc_lo, v77, v0\n s_and_saveexec_b32 s4, vcc_lo\n",
         "poison reaches EXEC", "s_and_saveexec_b32"},
        {"cmpx", "v_cmpx_lt_u32 v77, v0\n", "poison reaches EXEC", "v_cmpx_lt_u32"},
        {"lane_to_m0", "v_readfirstlane_b32 m0, v77\n", "poison reaches M0", "v_readfirstlane_b32"},
        {"scalar_base", "s_load_b32 s4, s[50:51], 0x0\n", "poison reaches a scalar address",
         "s_load_b32"},
        {"atomic", "v_mov_b32 v1, 0\n global_atomic_add_u32 v1, v77, s[0:1]\n",
         "poison reaches an atomic", "global_atomic_add_u32", 0},
        {"unwritten_memory",
         "global_load_b32 v1, v10, s[2:3] offset:2048\n s_wait_loadcnt 0x0\n global_store_b32 v10, "
         "v1, s[2:3] offset:256\n",
         "poison reaches a global store", "global_store_b32", 0},
        {"unwritten_lds",
         "ds_load_b32 v1, v10\n s_wait_dscnt 0x0\n global_store_b32 v10, v1, s[2:3]\n",
         "poison reaches a global store",
         "global_store_b32",
         0,
         32,
         {.lds_bytes = 128}},
        {"unwritten_byte",
         "v_mov_b32 v1, 0\n global_store_b16 v10, v1, s[2:3] offset:1024\n s_wait_storecnt 0x0\n"
         " global_load_u16 v2, v10, s[2:3] offset:1025\n s_wait_loadcnt 0x0\n global_store_b32 "
         "v10, v2, s[2:3]\n",
         "poison reaches a global store", "global_store_b32", 0},
        {"wmma_row",
         "v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n v_mov_b32 v4, 0\n s_mov_b32 "
         "exec_lo, 0x10\n"
         " v_mov_b32 v1, v77\n s_mov_b32 exec_lo, -1\n v_wmma_f32_16x16x16_f16 v[20:27], v[1:4], "
         "v[1:4], 0\n"
         " global_store_b32 v10, v23, s[2:3]\n",
         "poison reaches a global store", "global_store_b32", 4},
        {"partial_wmma",
         "v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n v_mov_b32 v4, 0\n s_mov_b32 "
         "exec_lo, 0xffff\n"
         " v_wmma_f32_16x16x16_f16 v[20:27], v[1:4], v[1:4], 0\n",
         "WMMA under partial EXEC", "v_wmma_f32_16x16x16_f16", 16},
    });
}

TEST(strict, poison_that_decides_nothing) {
    run({
        {"masked_off", "v_and_b32 v1, 0, v77\n global_store_b32 v10, v1, s[2:3]\n", "", ""},
        {"unselected",
         "v_cmp_lt_u32 vcc_lo, 40, v0\n v_cndmask_b32 v1, v0, v77, vcc_lo\n global_store_b32 v10, "
         "v1, s[2:3]\n",
         "", ""},
        {"high_half_dropped",
         "v_mov_b32 v1, v77\n v_add_nc_u16 v1, v0, v0\n v_and_b32 v1, 0xffff, v1\n "
         "global_store_b32 v10, v1, s[2:3]\n",
         "", ""},
        {"shifted_out",
         "v_add_nc_u16 v1, v0, v0\n v_lshlrev_b32 v1, 16, v1\n global_store_b32 v10, v1, s[2:3]\n",
         "", ""},
        {"two_halves",
         "global_load_d16_b16 v1, v10, s[0:1]\n global_load_d16_hi_b16 v1, v10, s[0:1] offset:2\n "
         "s_wait_loadcnt 0x0\n"
         " global_store_b32 v10, v1, s[2:3]\n",
         "", ""},
        {"low_product",
         "v_mad_co_u64_u32 v[2:3], null, v0, v0, v[10:11]\n global_store_b32 v10, v2, s[2:3]\n", "",
         ""},
        {"spilled",
         "scratch_store_b32 off, v77, off\n s_wait_storecnt 0x0\n scratch_load_b32 v1, off, off\n "
         "s_wait_loadcnt 0x0\n v_mov_b32 v2, v1\n",
         "",
         "",
         -1,
         32,
         {.scratch_bytes = 16}},
        {"kept_in_lds",
         "ds_store_b32 v10, v77\n s_wait_dscnt 0x0\n ds_load_b32 v1, v10\n s_wait_dscnt 0x0\n",
         "",
         "",
         -1,
         32,
         {.lds_bytes = 128}},
        {"written_lane",
         "s_movk_i32 s4, 9\n v_writelane_b32 v77, s4, 3\n v_readlane_b32 s5, v77, 3\n s_cmp_eq_u32 "
         "s5, 9\n s_cbranch_scc1 .Lw\n s_nop 0\n.Lw:\n",
         "", ""},
        {"or_with_all_ones",
         "s_or_b32 s4, s50, exec_lo\n s_cmp_eq_u32 s4, -1\n s_cbranch_scc1 .Lo\n s_nop 0\n.Lo:\n",
         "", ""},
        {"permuted",
         "v_add_nc_u16 v1, v0, v0\n s_mov_b32 s4, 0x0c0c0100\n v_perm_b32 v1, v77, v1, s4\n "
         "global_store_b32 v10, v1, s[2:3]\n",
         "", ""},
    });
}

TEST(strict, waits) {
    run({
        {"use_before_wait", "global_load_b32 v1, v10, s[0:1]\n v_add_nc_u32 v2, v1, v1\n",
         "use before wait", "v_add_nc_u32"},
        {"store_before_wait",
         "global_load_b32 v1, v10, s[0:1]\n global_store_b32 v10, v1, s[2:3]\n", "use before wait",
         "global_store_b32"},
        {"address_before_wait",
         "global_load_b32 v1, v10, s[0:1]\n global_load_b32 v2, v1, s[0:1]\n", "use before wait",
         "global_load_b32 v2"},
        {"overwrite_before_wait", "global_load_b32 v1, v10, s[0:1]\n v_mov_b32 v1, 0\n",
         "overwrite before wait", "v_mov_b32"},
        {"wait_too_weak",
         "global_load_b32 v1, v10, s[0:1]\n global_load_b32 v2, v10, s[0:1]\n s_wait_loadcnt 0x1\n "
         "v_mov_b32 v3, v2\n",
         "use before wait", "v_mov_b32"},
        {"wait_just_enough",
         "global_load_b32 v1, v10, s[0:1]\n global_load_b32 v2, v10, s[0:1]\n s_wait_loadcnt 0x1\n "
         "v_mov_b32 v3, v1\n",
         "", ""},
        {"wrong_counter", "global_load_b32 v1, v10, s[0:1]\n s_wait_dscnt 0x0\n v_mov_b32 v3, v1\n",
         "use before wait", "v_mov_b32"},
        {"scalar_before_wait", "s_load_b32 s4, s[0:1], 0x0\n s_add_co_u32 s5, s4, s4\n",
         "use before wait", "s_add_co_u32"},
        // Scalar loads return in any order: waiting for one of two says nothing.
        {"scalar_count_of_one",
         "s_load_b32 s4, s[0:1], 0x0\n s_load_b32 s5, s[0:1], 0x4\n s_wait_kmcnt 0x1\n "
         "s_add_co_u32 s6, s4, s4\n",
         "use before wait", "s_add_co_u32"},
        {"vector_reads_scalar", "s_load_b32 s4, s[0:1], 0x0\n v_mov_b32 v1, s4\n",
         "use before wait", "v_mov_b32"},
        {"flat_needs_both",
         "v_mov_b32 v1, s0\n v_mov_b32 v2, s1\n flat_load_b32 v3, v[1:2]\n s_wait_loadcnt 0x0\n "
         "v_mov_b32 v4, v3\n",
         "use before wait", "v_mov_b32"},
        {"combined_wait",
         "v_mov_b32 v1, s0\n v_mov_b32 v2, s1\n flat_load_b32 v3, v[1:2]\n s_wait_loadcnt_dscnt "
         "0x0\n v_mov_b32 v4, v3\n",
         "", ""},
        {"disjoint_lanes",
         "s_mov_b32 exec_lo, 0xff\n global_load_b32 v1, v10, s[0:1]\n s_mov_b32 exec_lo, "
         "0xffffff00\n"
         " global_load_b32 v1, v10, s[0:1]\n s_mov_b32 exec_lo, -1\n s_wait_loadcnt 0x0\n "
         "global_store_b32 v10, v1, s[2:3]\n",
         "", ""},
        {"wmma_before_wait",
         "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n v_mov_b32 v4, 0\n global_load_b32 v1, v10, s[0:1]\n"
         " v_wmma_f32_16x16x16_f16 v[20:27], v[1:4], v[1:4], 0\n",
         "use before wait", "v_wmma_f32_16x16x16_f16"},
        {"lds_before_wait",
         "v_mov_b32 v1, 0\n ds_store_b32 v10, v1\n ds_load_b32 v2, v10\n v_mov_b32 v3, v2\n",
         "use before wait",
         "v_mov_b32",
         -1,
         32,
         {.lds_bytes = 128}},
        {"saveexec_before_wait", "s_load_b32 s4, s[0:1], 0x0\n s_and_saveexec_b32 s5, s4\n",
         "use before wait", "s_and_saveexec_b32"},
    });
}

/// Every wave writes its own 128 bytes of LDS and reads those of its neighbour.
std::string exchange(const std::string& between, int store_offset = 0) {
    return "v_lshlrev_b32 v1, 2, v0\n v_xor_b32 v2, 0x80, v1\n ds_store_b32 v1, v0 offset:" +
           std::to_string(store_offset) + "\n" + between +
           " ds_load_b32 v3, v2\n s_wait_dscnt 0x0\n global_store_b32 v1, v3, s[2:3]\n";
}
constexpr kernel_options with_lds{.lds_bytes = 1024};
const std::string barrier = " s_wait_dscnt 0x0\n s_barrier_signal -1\n s_barrier_wait 0xffff\n";

TEST(strict, lds_order) {
    run({
        {"right", exchange(barrier), "", "", -1, 64, with_lds},
        {"no_barrier", exchange(" s_wait_dscnt 0x0\n"), "LDS race", "ds_", -1, 64, with_lds},
        {"no_wait_before_the_barrier", exchange(" s_barrier_signal -1\n s_barrier_wait 0xffff\n"),
         "LDS access outstanding at a barrier", "s_barrier_signal", -1, 64, with_lds},
        {"signal_without_wait", exchange(" s_wait_dscnt 0x0\n s_barrier_signal -1\n"), "LDS race",
         "ds_", -1, 64, with_lds},
        {"wait_without_signal", exchange(" s_wait_dscnt 0x0\n s_barrier_wait 0xffff\n"), "barrier",
         "s_barrier_wait", -1, 64, with_lds},
        // The next round overwrites what the neighbour may still be reading.
        {"wrong_stage", exchange(barrier) + " ds_store_b32 v1, v0\n", "LDS race", "ds_", -1, 64,
         with_lds},
        {"other_stage", exchange(barrier) + " ds_store_b32 v1, v0 offset:512\n", "", "", -1, 64,
         with_lds},
        {"split_barrier",
         exchange(
             " s_wait_dscnt 0x0\n s_barrier_signal -1\n v_mov_b32 v9, 0\n s_barrier_wait 0xffff\n"),
         "", "", -1, 64, with_lds},
        // Two waves write different bytes of the same words.
        {"bytes_of_a_word",
         "v_and_b32 v1, 31, v0\n v_lshlrev_b32 v1, 2, v1\n v_lshrrev_b32 v2, 5, v0\n v_lshl_or_b32 "
         "v1, v2, 1, v1\n"
         " ds_store_b16 v1, v0\n" +
             barrier + " ds_load_u16 v3, v1\n s_wait_dscnt 0x0\n",
         "", "", -1, 64, with_lds},
        {"same_bytes",
         "v_and_b32 v1, 31, v0\n v_lshlrev_b32 v1, 2, v1\n ds_store_b16 v1, v0\n s_wait_dscnt "
         "0x0\n",
         "LDS race", "ds_store_b16", -1, 64, with_lds},
        {"atomics_together",
         "v_mov_b32 v1, 0\n v_mov_b32 v2, 1\n s_mov_b32 s5, exec_lo\n v_cmp_gt_u32 vcc_lo, 32, "
         "v0\n s_and_b32 exec_lo, exec_lo, vcc_lo\n"
         " ds_store_b32 v1, v1\n s_mov_b32 exec_lo, s5\n" +
             barrier + " ds_add_u32 v1, v2\n s_wait_dscnt 0x0\n",
         "", "", -1, 64, with_lds},
        {"barrier_left_out_by_one_wave",
         "v_lshlrev_b32 v1, 2, v0\n ds_store_b32 v1, v0\n s_wait_dscnt 0x0\n"
         "v_readfirstlane_b32 s4, v0\n s_cmp_eq_u32 s4, 0\n s_cbranch_scc1 .Lskip\n" +
             barrier + ".Lskip:\n",
         "barrier divergence", "s_", -1, 64, with_lds},
        {"wave_without_work_leaves_early",
         "v_readfirstlane_b32 s4, v0\n s_cmp_eq_u32 s4, 0\n s_cbranch_scc1 .Lleave\n"
         "v_lshlrev_b32 v1, 2, v0\n ds_store_b32 v1, v0\n s_wait_dscnt 0x0\n" +
             barrier + ".Lleave:\n",
         "", "", -1, 64, with_lds},
        {"signalled_twice", " s_barrier_signal -1\n s_barrier_signal -1\n s_barrier_wait 0xffff\n",
         "barrier", "s_barrier_signal", -1, 64, with_lds},
    });
}

TEST(strict, stops) {
    run({
        {"unknown",
         "s_ttracedata_imm 0x0\n v_cvt_off_f32_i4 v1, v0\n image_load v1, v0, s[4:11] dmask:0x1 "
         "dim:SQ_RSRC_IMG_1D\n",
         "unknown instruction", "image_load"},
        {"endless", ".Le:\n s_branch .Le\n", "no end", "s_branch"},
        {"trap", "s_trap 2\n", "trap", "s_trap"},
        {"no_end", "s_branch 0x4000\n", "jump outside the code", "s_branch"},
    });
}

/// A dropped wait is reported; what was dropped is listed with its text.
TEST(strict, dropped_instructions) {
    workbench bench;
    bench.add("k", load_arguments + "global_load_b32 v1, v10, s[0:1]\n s_wait_loadcnt 0x0\n "
                                    "global_store_b32 v10, v1, s[2:3]\n");
    ASSERT_TRUE(bench.build());
    const auto waits = list_waits(bench.device(), bench.kernel("k"));
    ASSERT_EQ(waits.size(), 2u);
    EXPECT_EQ(waits[0].text, "s_wait_kmcnt 0x0");
    EXPECT_EQ(waits[1].text, "s_wait_loadcnt 0x0");
    const u64 from = bench.upload(std::vector<u32>(64, 3)), to = bench.device().allocate(4096);
    EXPECT_TRUE(bench.run("k", 1, 32, addresses({from, to})).faults.empty());
    for (const listed_instruction& wait : waits) {
        execution_options options;
        options.dropped = {wait.pc};
        const auto result = bench.run("k", 1, 32, addresses({from, to}), options);
        ASSERT_FALSE(result.faults.empty()) << wait.text;
        EXPECT_EQ(result.faults[0].kind, "use before wait");
    }
}

/// Poison that is only kept in memory is carried there when stores may carry it.
TEST(strict, carried_in_memory) {
    workbench bench;
    bench.add("k", load_arguments + "global_load_b32 v1, v10, s[0:1]\n s_wait_loadcnt 0x0\n "
                                    "global_store_b32 v10, v1, s[2:3]\n");
    ASSERT_TRUE(bench.build());
    const u64 from = bench.device().allocate(128), to = bench.device().allocate(128);
    const std::vector<u32> half(16, 5);
    bench.device().write(from, half.data(), 64);
    execution_options options;
    options.report_poison_store = false;
    EXPECT_TRUE(bench.run("k", 1, 32, addresses({from, to}), options).faults.empty());
    EXPECT_EQ(bench.device().first_unwritten(to, 128), std::optional<u64>(64));
    EXPECT_EQ(bench.download<u32>(to, 16), half);
}

TEST(strict, freed_memory) {
    workbench bench;
    bench.add("k", load_arguments + "global_load_b32 v1, v10, s[0:1]\n");
    ASSERT_TRUE(bench.build());
    const u64 from = bench.upload(std::vector<u32>(64, 3), "short lived"),
              to = bench.device().allocate(128);
    bench.device().release(from);
    const auto result = bench.run("k", 1, 32, addresses({from, to}));
    ASSERT_FALSE(result.faults.empty());
    EXPECT_EQ(result.faults[0].kind, "out of bounds");
    EXPECT_NE(result.faults[0].detail.find("freed allocation"), std::string::npos)
        << result.faults[0].detail;
    EXPECT_NE(result.faults[0].detail.find("short lived"), std::string::npos)
        << result.faults[0].detail;
}

} // namespace
} // namespace instructions
