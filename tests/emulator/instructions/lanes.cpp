// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Instructions that move values between lanes.
#include "bench.hpp"

namespace instructions {
namespace {

constexpr u32 lanes = 32;
using wave_values = std::array<u32, lanes>;

struct lane_case {
    std::string text; ///< v1 = inputs, v2 = second inputs, v20 = old; result in v20
    std::function<u32(u32 lane, const wave_values& a, const wave_values& b, const wave_values& old)>
        expected;
};

void run(const std::vector<lane_case>& cases) {
    workbench bench;
    for (std::size_t n = 0; n < cases.size(); ++n)
        bench.add(
            "c" + std::to_string(n),
            "  s_load_b128 s[0:3], s[0:1], 0x0\n  v_lshlrev_b32 v10, 2, v0\n  s_wait_kmcnt 0x0\n"
            "  global_load_b32 v1, v10, s[0:1]\n  global_load_b32 v2, v10, s[0:1] offset:128\n"
            "  global_load_b32 v20, v10, s[0:1] offset:256\n  s_wait_loadcnt 0x0\n  " +
                cases[n].text +
                "\n  s_wait_dscnt 0x0\n  s_mov_b32 exec_lo, -1\n  global_store_b32 v10, v20, "
                "s[2:3]");
    ASSERT_TRUE(bench.build());
    std::mt19937_64 random(11001);
    wave_values a, b, old;
    for (u32 l = 0; l < lanes; ++l) {
        a[l] = static_cast<u32>(random());
        b[l] = static_cast<u32>(random());
        old[l] = static_cast<u32>(random());
    }
    std::vector<u32> input;
    for (const auto* list : {&a, &b, &old})
        input.insert(input.end(), list->begin(), list->end());
    const u64 from = bench.upload(input), to = bench.device().allocate(128);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const auto result = bench.run("c" + std::to_string(n), 1, lanes, addresses({from, to}));
        ASSERT_TRUE(result.faults.empty()) << cases[n].text << "\n" << describe(result.faults);
        const auto out = bench.download<u32>(to, lanes);
        for (u32 l = 0; l < lanes; ++l)
            ASSERT_EQ(out[l], cases[n].expected(l, a, b, old)) << cases[n].text << " lane " << l;
    }
}

using v = const wave_values&;
u32 nibble(u64 list, u32 i) {
    return static_cast<u32>(list >> (4 * i) & 15);
}

TEST(lanes, dpp) {
    run({
        {"v_mov_b32_dpp v20, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v, v) {
             return a[l ^ 1];
         }},
        {"v_mov_b32_dpp v20, v1 row_shr:3 row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v, v old) {
             return l % 16 >= 3 ? a[l - 3] : old[l];
         }},
        {"v_mov_b32_dpp v20, v1 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1",
         [](u32 l, v a, v, v) {
             return l % 16 >= 3 ? a[l - 3] : 0;
         }},
        {"v_mov_b32_dpp v20, v1 row_shl:5 row_mask:0xf bank_mask:0xf bound_ctrl:1",
         [](u32 l, v a, v, v) {
             return l % 16 + 5 < 16 ? a[l + 5] : 0;
         }},
        {"v_mov_b32_dpp v20, v1 row_ror:4 row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v, v) {
             return a[(l & 16) | ((l + 12) & 15)];
         }},
        {"v_mov_b32_dpp v20, v1 row_mirror row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v, v) {
             return a[l ^ 15];
         }},
        {"v_mov_b32_dpp v20, v1 row_half_mirror row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v, v) {
             return a[l ^ 7];
         }},
        {"v_mov_b32_dpp v20, v1 row_share:6 row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v, v) {
             return a[(l & 16) | 6];
         }},
        {"v_mov_b32_dpp v20, v1 row_xmask:9 row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v, v) {
             return a[l ^ 9];
         }},
        {"v_mov_b32_dpp v20, v1 row_xmask:1 row_mask:0x1 bank_mask:0x5",
         [](u32 l, v a, v, v old) {
             return l < 16 && (l / 4) % 2 == 0 ? a[l ^ 1] : old[l];
         }},
        {"v_mov_b32_dpp v20, v1 dpp8:[7,6,5,4,3,2,1,0]",
         [](u32 l, v a, v, v) {
             return a[l ^ 7];
         }},
        {"v_mov_b32_dpp v20, v1 dpp8:[0,0,2,2,4,5,7,1]",
         [](u32 l, v a, v, v) {
             const u32 list[] = {0, 0, 2, 2, 4, 5, 7, 1};
             return a[(l & 24) | list[l & 7]];
         }},
        {"v_add_nc_u32_dpp v20, v1, v2 row_xmask:2 row_mask:0xf bank_mask:0xf",
         [](u32 l, v a, v b, v) {
             return a[l ^ 2] + b[l];
         }},
        {"v_mov_b32 v20, v1\n v_add_nc_u32_dpp v20, v20, v20 row_xmask:1 row_mask:0xf "
         "bank_mask:0xf",
         [](u32 l, v a, v, v) {
             return a[l ^ 1] + a[l];
         }},
        // A source lane that EXEC switches off: the lane keeps its value, or reads 0, or reads
        // anyway.
        {"s_mov_b32 exec_lo, 0x7fffffff\n v_mov_b32_dpp v20, v1 row_xmask:1 row_mask:0xf "
         "bank_mask:0xf",
         [](u32 l, v a, v, v old) {
             return l >= 30 ? old[l] : a[l ^ 1];
         }},
        {"s_mov_b32 exec_lo, 0x7fffffff\n v_mov_b32_dpp v20, v1 row_xmask:1 row_mask:0xf "
         "bank_mask:0xf bound_ctrl:1",
         [](u32 l, v a, v, v old) {
             return l == 31 ? old[l] : l == 30 ? 0 : a[l ^ 1];
         }},
        {"s_mov_b32 exec_lo, 0x7fffffff\n v_mov_b32_dpp v20, v1 row_xmask:1 row_mask:0xf "
         "bank_mask:0xf fi:1",
         [](u32 l, v a, v, v old) {
             return l == 31 ? old[l] : a[l ^ 1];
         }},
        {"v_max_num_f32_dpp v20, v1, v1 row_xmask:8 row_mask:0xf bank_mask:0xf\n"
         " v_mov_b32_dpp v20, v2 row_share:0 row_mask:0xf bank_mask:0xf",
         [](u32 l, v, v b, v) {
             return b[l & 16];
         }},
    });
}

/// DPP on compares, halves, three sources and conversions.
TEST(lanes, dpp_on_other_formats) {
    const std::string all = " row_mask:0xf bank_mask:0xf";
    run({
        {"v_add3_u32_e64_dpp v20, v1, v2, v0 row_xmask:5" + all,
         [](u32 l, v a, v b, v) {
             return a[l ^ 5] + b[l] + l;
         }},
        {"v_cmp_lt_u32_e64_dpp s8, v1, v2 row_xmask:3" + all + "\n v_cndmask_b32 v20, 5, 7, s8",
         [](u32 l, v a, v b, v) {
             return a[l ^ 3] < b[l] ? 7u : 5u;
         }},
        {"v_cmpx_gt_i32_e64_dpp v1, v2 dpp8:[1,0,3,2,5,4,7,6]\n v_mov_b32 v20, 9",
         [](u32 l, v a, v b, v old) {
             return static_cast<i32>(a[l ^ 1]) > static_cast<i32>(b[l]) ? 9u : old[l];
         }},
        {"v_add_nc_u16_e64_dpp v20, v1, v2 op_sel:[1,0,1] row_ror:2" + all,
         [](u32 l, v a, v b, v old) {
             const u32 from = (l & 16) | ((l + 14) & 15);
             return (old[l] & 0xffff) | ((a[from] >> 16) + b[l]) << 16;
         }},
        {"v_cvt_f32_ubyte1_dpp v20, v1 row_share:4" + all,
         [](u32 l, v a, v, v) {
             return bits(static_cast<float>(a[(l & 16) | 4] >> 8 & 255));
         }},
        {"v_and_b32 v1, 0x38383838, v1\n v_cvt_f32_fp8_e64_dpp v20, v1 byte_sel:2 row_xmask:6 "
         "row_mask:0x1 bank_mask:0xf",
         [](u32 l, v a, v, v old) {
             // Exponents alone: codes 8 n are powers of two, 0 is 0.
             const u32 exponent = a[l ^ 6] >> 19 & 7;
             const float value = exponent ? std::ldexp(1.0f, static_cast<int>(exponent) - 7) : 0.0f;
             return l < 16 ? bits(value) : old[l];
         }},
        {"v_mov_b32 v3, 1.0\n v_cvt_sr_fp8_f32_e64_dpp v20, v3, v2 byte_sel:1 row_xmask:1 "
         "row_mask:0x2 bank_mask:0xf",
         [](u32 l, v, v, v old) {
             return l < 16 ? old[l] : (old[l] & 0xffff00ff) | 0x3800;
         }},
        {"s_mov_b32 exec_lo, 0x7fffffff\n v_mov_b32_dpp v20, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1",
         [](u32 l, v a, v, v old) {
             return l == 31 ? old[l] : a[l ^ 7];
         }},
    });
}

TEST(lanes, permutes) {
    constexpr u64 list = 0x0123456789abcdef, other = 0xf1e2d3c4b5a69780;
    run({
        {"s_mov_b32 s8, 0x89abcdef\n s_mov_b32 s9, 0x01234567\n v_permlane16_b32 v20, v1, s8, s9",
         [=](u32 l, v a, v, v) {
             return a[(l & 16) | nibble(list, l & 15)];
         }},
        {"s_mov_b32 s8, 0xb5a69780\n s_mov_b32 s9, 0xf1e2d3c4\n v_permlanex16_b32 v20, v1, s8, s9",
         [=](u32 l, v a, v, v) {
             return a[((l & 16) ^ 16) | nibble(other, l & 15)];
         }},
        {"v_permlane16_var_b32 v20, v1, v2",
         [](u32 l, v a, v b, v) {
             return a[(l & 16) | (b[l] & 15)];
         }},
        {"v_permlanex16_var_b32 v20, v1, v2",
         [](u32 l, v a, v b, v) {
             return a[((l & 16) ^ 16) | (b[l] & 15)];
         }},
        {"v_permlane64_b32 v20, v1",
         [](u32 l, v a, v, v) {
             return a[l];
         }},
        {"v_swap_b32 v20, v1\n v_add_nc_u32 v20, v20, v1",
         [](u32 l, v a, v, v old) {
             return a[l] + old[l];
         }},
        {"v_lshlrev_b32 v3, 2, v2\n ds_bpermute_b32 v20, v3, v1",
         [](u32 l, v a, v b, v) {
             return a[b[l] % 32];
         }},
        {"v_lshlrev_b32 v3, 2, v2\n ds_bpermute_b32 v20, v3, v1 offset:8",
         [](u32 l, v a, v b, v) {
             return a[(b[l] + 2) % 32];
         }},
        {"v_lshlrev_b32 v3, 2, v2\n s_mov_b32 exec_lo, 0xffff0000\n ds_bpermute_b32 v20, v3, v1",
         [](u32 l, v a, v b, v old) {
             return l < 16 ? old[l] : b[l] % 32 < 16 ? 0 : a[b[l] % 32];
         }},
        {"v_xor_b32 v3, 5, v0\n v_lshlrev_b32 v3, 2, v3\n ds_permute_b32 v20, v3, v1",
         [](u32 l, v a, v, v) {
             return a[l ^ 5];
         }},
        {"ds_swizzle_b32 v20, v1 offset:swizzle(SWAP,16)",
         [](u32 l, v a, v, v) {
             return a[l ^ 16];
         }},
        {"ds_swizzle_b32 v20, v1 offset:swizzle(BROADCAST,8,3)",
         [](u32 l, v a, v, v) {
             return a[(l & 24) | 3];
         }},
        {"ds_swizzle_b32 v20, v1 offset:swizzle(REVERSE,16)",
         [](u32 l, v a, v, v) {
             return a[l ^ 15];
         }},
        {"ds_swizzle_b32 v20, v1 offset:swizzle(QUAD_PERM,2,0,3,1)",
         [](u32 l, v a, v, v) {
             const u32 q[] = {2, 0, 3, 1};
             return a[(l & ~3u) | q[l & 3]];
         }},
        {"ds_swizzle_b32 v20, v1 offset:swizzle(BITMASK_PERM,\"01pip\")",
         [](u32 l, v a, v, v) {
             return a[(((l & 7) | 8)) ^ 2];
         }},
        {"v_readfirstlane_b32 s8, v1\n v_mov_b32 v20, s8",
         [](u32, v a, v, v) {
             return a[0];
         }},
        {"s_mov_b32 exec_lo, 0xff00\n v_readfirstlane_b32 s8, v1\n s_mov_b32 exec_lo, -1\n "
         "v_mov_b32 v20, s8",
         [](u32, v a, v, v) {
             return a[8];
         }},
        {"v_readlane_b32 s8, v1, 17\n v_mov_b32 v20, s8",
         [](u32, v a, v, v) {
             return a[17];
         }},
        {"s_mov_b32 s9, 21\n s_movk_i32 s8, 0x77\n v_writelane_b32 v20, s8, s9",
         [](u32 l, v, v, v old) {
             return l == 21 ? 0x77 : old[l];
         }},
        {"s_mov_b32 m0, 1\n v_movrels_b32 v20, v1",
         [](u32 l, v, v b, v) {
             return b[l];
         }},
        {"s_mov_b32 m0, 3\n v_movreld_b32 v17, v1",
         [](u32 l, v a, v, v) {
             return a[l];
         }},
    });
}

} // namespace
} // namespace instructions
