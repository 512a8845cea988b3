// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar instructions, control flow, calls, and what a kernel starts with.
#include "bench.hpp"

namespace instructions {
namespace {

struct scalar_input {
    u32 a, b, c, d;
};
struct scalar_output {
    u64 value;
    bool scc;
};
struct scalar_case {
    std::string text;  ///< s8..s11 are the inputs; result in s[12:13] (s13 starts 0), SCC
    std::function<scalar_output(const scalar_input&)> expected;
    bool checks_scc = true;
};

void run(const std::vector<scalar_case>& cases) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add("c" + std::to_string(n),
                  "  s_load_b128 s[0:3], s[0:1], 0x0\n  s_lshl_b32 s4, ttmp9, 4\n  s_mov_b32 s5, 0\n"
                  "  s_wait_kmcnt 0x0\n  s_add_nc_u64 s[0:1], s[0:1], s[4:5]\n  s_add_nc_u64 s[2:3], s[2:3], s[4:5]\n"
                  "  s_load_b128 s[8:11], s[0:1], 0x0\n  s_mov_b32 s12, 0\n  s_mov_b32 s13, 0\n  s_wait_kmcnt 0x0\n"
                  "  s_cmp_eq_u32 s12, s12\n  " + cases[n].text +
                  "\n  s_cselect_b32 s14, 1, 0\n  v_mov_b32 v1, s12\n  v_mov_b32 v2, s13\n  v_mov_b32 v3, s14\n"
                  "  v_mov_b32 v4, 0\n  global_store_b96 v4, v[1:3], s[2:3]");
    ASSERT_TRUE(bench.build());
    std::mt19937_64 random(12001);
    std::printf("seed 12001\n");
    const u32 special[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 31, 32, 63, 0x00080004, 0x00100020};
    constexpr u32 blocks = 300;
    std::vector<u32> input;
    for (u32 n = 0; n < blocks * 4; ++n)
        input.push_back(random() % 3 == 0 ? special[random() % std::size(special)] : static_cast<u32>(random()));
    const u64 from = bench.upload(input), to = bench.device().allocate(blocks * 16);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto result = bench.run("c" + std::to_string(n), blocks, 1, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].text << "\n" << describe(result.faults);
        const auto out = bench.download<u32>(to, blocks * 4);
        for (u32 k = 0; k < blocks; ++k) {
            const scalar_input in{input[4 * k], input[4 * k + 1], input[4 * k + 2], input[4 * k + 3]};
            const scalar_output want = cases[n].expected(in);
            ASSERT_EQ(pair(out[4 * k], out[4 * k + 1]), want.value)
                << cases[n].text << std::hex << " of " << in.a << " " << in.b << " " << in.c << " " << in.d;
            if (cases[n].checks_scc)
                ASSERT_EQ(out[4 * k + 2] != 0, want.scc) << cases[n].text << std::hex << " of " << in.a << " " << in.b;
        }
    }
}

using in = const scalar_input&;
i32 s(u32 x) { return static_cast<i32>(x); }
scalar_output nonzero(u64 x) { return {x, x != 0}; }
u64 first(in i) { return pair(i.a, i.b); }
u64 second(in i) { return pair(i.c, i.d); }

TEST(scalar, arithmetic) {
    run({
        {"s_add_co_u32 s12, s8, s9", [](in i) { return scalar_output{i.a + i.b, (u64{i.a} + i.b) >> 32 != 0}; }},
        {"s_sub_co_u32 s12, s8, s9", [](in i) { return scalar_output{i.a - i.b, i.a < i.b}; }},
        {"s_add_co_ci_u32 s12, s8, s9", [](in i) {
            const u64 r = u64{i.a} + i.b + 1;
            return scalar_output{static_cast<u32>(r), r >> 32 != 0}; }},
        {"s_sub_co_ci_u32 s12, s8, s9", [](in i) {
            const u64 r = u64{i.a} - i.b - 1;
            return scalar_output{static_cast<u32>(r), r >> 63 != 0}; }},
        {"s_add_co_i32 s12, s8, s9", [](in i) {
            const i64 r = i64{s(i.a)} + s(i.b);
            return scalar_output{static_cast<u32>(r), r != s(static_cast<u32>(r))}; }},
        {"s_addk_co_i32 s8, 0x8001\n s_cselect_b32 s13, 1, 0\n s_mov_b32 s12, s8", [](in i) {
            const i64 r = i64{s(i.a)} - 32767;
            return scalar_output{pair(static_cast<u32>(r), r != s(static_cast<u32>(r))), false}; }, false},
        {"s_movk_i32 s12, 0x8000", [](in) { return scalar_output{0xffff8000u, true}; }},
        {"s_mul_i32 s12, s8, s9", [](in i) { return scalar_output{i.a * i.b, true}; }},
        {"s_mulk_i32 s8, 0xfffe\n s_mov_b32 s12, s8", [](in i) { return scalar_output{i.a * 0xfffffffeu, true}; }},
        {"s_mul_hi_u32 s12, s8, s9", [](in i) { return scalar_output{u64{i.a} * i.b >> 32, true}; }},
        {"s_mul_hi_i32 s12, s8, s9", [](in i) {
            return scalar_output{static_cast<u32>(i64{s(i.a)} * s(i.b) >> 32), true}; }},
        {"s_mul_u64 s[12:13], s[8:9], s[10:11]", [](in i) { return scalar_output{first(i) * second(i), true}; }},
        {"s_add_nc_u64 s[12:13], s[8:9], s[10:11]", [](in i) { return scalar_output{first(i) + second(i), true}; }},
        {"s_sub_nc_u64 s[12:13], s[8:9], s[10:11]", [](in i) { return scalar_output{first(i) - second(i), true}; }},
        {"s_lshl2_add_u32 s12, s8, s9", [](in i) {
            const u64 r = (u64{i.a} << 2) + i.b;
            return scalar_output{static_cast<u32>(r), r >> 32 != 0}; }},
        {"s_min_i32 s12, s8, s9", [](in i) { return scalar_output{s(i.a) < s(i.b) ? i.a : i.b, s(i.a) < s(i.b)}; }},
        {"s_max_u32 s12, s8, s9", [](in i) { return scalar_output{i.a > i.b ? i.a : i.b, i.a > i.b}; }},
        {"s_abs_i32 s12, s8", [](in i) { return nonzero(s(i.a) < 0 ? 0u - i.a : i.a); }},
        {"s_cselect_b32 s12, s8, s9", [](in i) { return scalar_output{i.a, true}; }},
        {"s_cselect_b64 s[12:13], s[8:9], s[10:11]", [](in i) { return scalar_output{first(i), true}; }},
    });
}

TEST(scalar, bits) {
    run({
        {"s_and_b32 s12, s8, s9", [](in i) { return nonzero(i.a & i.b); }},
        {"s_or_b64 s[12:13], s[8:9], s[10:11]", [](in i) { return nonzero(first(i) | second(i)); }},
        {"s_xor_b32 s12, s8, 0x12345678", [](in i) { return nonzero(i.a ^ 0x12345678u); }},
        {"s_and_not1_b32 s12, s8, s9", [](in i) { return nonzero(i.a & ~i.b); }},
        {"s_or_not1_b64 s[12:13], s[8:9], s[10:11]", [](in i) { return nonzero(first(i) | ~second(i)); }},
        {"s_nand_b32 s12, s8, s9", [](in i) { return nonzero(static_cast<u32>(~(i.a & i.b))); }},
        {"s_nor_b32 s12, s8, s9", [](in i) { return nonzero(static_cast<u32>(~(i.a | i.b))); }},
        {"s_xnor_b32 s12, s8, s9", [](in i) { return nonzero(static_cast<u32>(~(i.a ^ i.b))); }},
        {"s_not_b64 s[12:13], s[8:9]", [](in i) { return nonzero(~first(i)); }},
        {"s_and_b64 s[12:13], s[8:9], 0xf0f0f0f0", [](in i) { return nonzero(first(i) & 0xf0f0f0f0u); }},
        {"s_lshl_b32 s12, s8, s9", [](in i) { return nonzero(i.a << (i.b & 31)); }},
        {"s_lshr_b64 s[12:13], s[8:9], s10", [](in i) { return nonzero(first(i) >> (i.c & 63)); }},
        {"s_ashr_i32 s12, s8, s9", [](in i) { return nonzero(static_cast<u32>(s(i.a) >> (i.b & 31))); }},
        {"s_ashr_i64 s[12:13], s[8:9], 5", [](in i) { return nonzero(static_cast<u64>(static_cast<i64>(first(i)) >> 5)); }},
        {"s_bfe_u32 s12, s8, s9", [](in i) {
            const u32 width = i.b >> 16 & 0x7f;
            const u64 field = u64{i.a} >> (i.b & 31);
            return nonzero(width >= 32 ? field : field & ((u64{1} << width) - 1)); }},
        {"s_bfe_i32 s12, s8, 0x00070005", [](in i) {
            return nonzero(static_cast<u32>(s(i.a << 20) >> 25)); }},
        {"s_bfe_u64 s[12:13], s[8:9], 0x00200010", [](in i) { return nonzero(static_cast<u32>(first(i) >> 16)); }},
        {"s_bfm_b32 s12, s8, s9", [](in i) {
            return scalar_output{((1u << (i.a & 31)) - 1) << (i.b & 31), true}; }},
        {"s_brev_b32 s12, s8", [](in i) {
            u32 r = 0;
            for (int n = 0; n < 32; ++n) r = r << 1 | (i.a >> n & 1);
            return scalar_output{r, true}; }},
        {"s_bcnt1_i32_b32 s12, s8", [](in i) { return nonzero(static_cast<u32>(std::popcount(i.a))); }},
        {"s_bcnt1_i32_b64 s12, s[8:9]", [](in i) { return nonzero(static_cast<u32>(std::popcount(first(i)))); }},
        {"s_ctz_i32_b32 s12, s8", [](in i) {
            return scalar_output{i.a ? static_cast<u32>(std::countr_zero(i.a)) : 0xffffffffu, true}; }},
        {"s_clz_i32_u32 s12, s8", [](in i) {
            return scalar_output{i.a ? static_cast<u32>(std::countl_zero(i.a)) : 0xffffffffu, true}; }},
        {"s_clz_i32_u64 s12, s[8:9]", [](in i) {
            return scalar_output{first(i) ? static_cast<u32>(std::countl_zero(first(i))) : 0xffffffffu, true}; }},
        {"s_sext_i32_i8 s12, s8", [](in i) { return scalar_output{static_cast<u32>(i32{static_cast<i8>(i.a)}), true}; }},
        {"s_sext_i32_i16 s12, s8", [](in i) { return scalar_output{static_cast<u32>(i32{static_cast<i16>(i.a)}), true}; }},
        {"s_bitset1_b32 s8, 7\n s_mov_b32 s12, s8", [](in i) { return scalar_output{i.a | 128, true}; }},
        {"s_bitset0_b32 s8, s9\n s_mov_b32 s12, s8", [](in i) { return scalar_output{i.a & ~(1u << (i.b & 31)), true}; }},
        {"s_pack_ll_b32_b16 s12, s8, s9", [](in i) { return scalar_output{(i.a & 0xffff) | i.b << 16, true}; }},
        {"s_pack_lh_b32_b16 s12, s8, s9", [](in i) { return scalar_output{(i.a & 0xffff) | (i.b & 0xffff0000u), true}; }},
        {"s_pack_hl_b32_b16 s12, s8, s9", [](in i) { return scalar_output{i.a >> 16 | i.b << 16, true}; }},
        {"s_mov_b64 s[12:13], s[8:9]", [](in i) { return scalar_output{first(i), true}; }},
        {"s_mov_b32 m0, 2\n s_movrels_b32 s12, s8", [](in i) { return scalar_output{i.c, true}; }},
    });
}

TEST(scalar, compares_and_floats) {
    const auto only_scc = [](bool x) { return scalar_output{0, x}; };
    const auto fl = [](u32 x) { return f32(x); };
    run({
        {"s_cmp_lt_i32 s8, s9", [=](in i) { return only_scc(s(i.a) < s(i.b)); }},
        {"s_cmp_ge_u32 s8, s9", [=](in i) { return only_scc(i.a >= i.b); }},
        {"s_cmp_eq_u64 s[8:9], s[10:11]", [=](in i) { return only_scc(first(i) == second(i)); }},
        {"s_cmp_lg_u32 s8, s9", [=](in i) { return only_scc(i.a != i.b); }},
        {"s_bitcmp1_b32 s8, s9", [=](in i) { return only_scc(i.a >> (i.b & 31) & 1); }},
        {"s_cmp_lt_f32 s8, s9", [=](in i) { return only_scc(fl(i.a) < fl(i.b)); }},
        {"s_cmp_nge_f32 s8, s9", [=](in i) { return only_scc(!(fl(i.a) >= fl(i.b))); }},
        {"s_cvt_f32_i32 s12, s8", [](in i) { return scalar_output{bits(static_cast<float>(s(i.a))), true}; }},
        {"s_cvt_f32_u32 s12, s8", [](in i) { return scalar_output{bits(static_cast<float>(i.a)), true}; }},
        {"s_cvt_f32_u32 s8, s8\n s_cvt_f32_u32 s9, s9\n s_mul_f32 s12, s8, s9", [](in i) {
            return scalar_output{bits(static_cast<float>(i.a) * static_cast<float>(i.b)), true}; }},
        {"s_cvt_f32_i32 s8, s8\n s_cvt_f32_i32 s9, s9\n s_cvt_f32_i32 s12, s10\n s_fmac_f32 s12, s8, s9", [](in i) {
            return scalar_output{bits(std::fma(static_cast<float>(s(i.a)), static_cast<float>(s(i.b)),
                                               static_cast<float>(s(i.c)))), true}; }},
        {"s_cvt_f32_u32 s8, s8\n s_cvt_f16_f32 s12, s8", [](in i) {
            return scalar_output{round_to_half(static_cast<double>(static_cast<float>(i.a))), true}; }},
        {"s_cvt_f32_u32 s8, s8\n v_s_rcp_f32 s12, s8", [](in i) {
            return scalar_output{bits(1.0f / static_cast<float>(i.a)), true}; }},
    });
}

TEST(scalar, control_flow) {
    run({
        // A loop: multiply by adding.
        {"s_and_b32 s8, s8, 63\n s_mov_b32 s12, 0\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Ldone\n"
         ".Lloop:\n s_add_co_u32 s12, s12, s9\n s_sub_co_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n"
         " s_cbranch_scc1 .Lloop\n.Ldone:", [](in i) { return scalar_output{(i.a & 63) * i.b, false}; }, false},
        // A call and a return.
        {"s_getpc_b64 s[20:21]\n .Lhere:\n s_add_co_u32 s20, s20, .Lfunction-.Lhere\n s_add_co_ci_u32 s21, s21, 0\n"
         " s_swappc_b64 s[30:31], s[20:21]\n s_branch .Lafter\n.Lfunction:\n s_not_b32 s12, s8\n"
         " s_setpc_b64 s[30:31]\n.Lafter:", [](in i) { return scalar_output{static_cast<u32>(~i.a), false}; }, false},
        {"s_mov_b32 exec_lo, s8\n s_and_saveexec_b32 s12, s9\n s_mov_b32 s13, exec_lo\n s_mov_b32 exec_lo, 1",
         [](in i) { return scalar_output{pair(i.a, i.a & i.b), (i.a & i.b) != 0}; }},
        {"s_mov_b32 exec_lo, s8\n s_or_saveexec_b32 s12, s9\n s_mov_b32 s13, exec_lo\n s_mov_b32 exec_lo, 1",
         [](in i) { return scalar_output{pair(i.a, i.a | i.b), (i.a | i.b) != 0}; }},
        {"s_mov_b32 exec_lo, s8\n s_and_not1_saveexec_b32 s12, s9\n s_mov_b32 s13, exec_lo\n s_mov_b32 exec_lo, 1",
         [](in i) { return scalar_output{pair(i.a, i.b & ~i.a), (i.b & ~i.a) != 0}; }},
        {"s_mov_b32 vcc_lo, s8\n s_mov_b32 s12, 1\n s_cbranch_vccz .Lz\n s_mov_b32 s12, 2\n.Lz:",
         [](in i) { return scalar_output{i.a ? 2u : 1u, false}; }, false},
    });
}

/// Workitem and workgroup ids arrive as the descriptor's bits ask for.
TEST(scalar, entry_state) {
    workbench bench;
    const std::string store = "  s_load_b64 s[0:1], s[0:1], 0x0\n  s_mul_i32 s4, s8, 96\n  v_bfe_u32 v1, v0, 0, 10\n"
                              "  v_bfe_u32 v2, v0, 10, 10\n  v_bfe_u32 v3, v0, 20, 10\n  v_mad_u32_u24 v4, v3, 2, v2\n"
                              "  v_mad_u32_u24 v4, v4, 3, v1\n  v_add_nc_u32 v4, s4, v4\n  v_lshlrev_b32 v4, 2, v4\n"
                              "  v_mov_b32 v5, s9\n  v_lshl_or_b32 v5, v5, 10, v0\n  s_wait_kmcnt 0x0\n";
    bench.add("ids", "  s_and_b32 s9, ttmp7, 0xffff\n  s_lshr_b32 s10, ttmp7, 16\n  s_mov_b32 s8, ttmp9\n" +
                         store + "  global_store_b32 v4, v0, s[0:1]", {.workitem_dimensions = 2});
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

}  // namespace
}  // namespace instructions
