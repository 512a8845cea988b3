// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Moves, logic, shifts, bit fields and VOPD pairs, exact over random and special operands.
#include "bench.hpp"

namespace instructions {
namespace {

using in = const lane_input&;
i32 s(u32 x) {
    return static_cast<i32>(x);
}
u32 u(i64 x) {
    return static_cast<u32>(x);
}
u32 count_bits(u32 x) {
    u32 n = 0;
    for (; x; x &= x - 1)
        ++n;
    return n;
}
u32 perm_byte(u32 high, u32 low, u32 selector) {
    const u64 all = pair(low, high);
    if (selector > 12) return 0xff;
    if (selector == 12) return 0;
    if (selector >= 8) return all >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
    return static_cast<u32>(all >> (8 * selector) & 0xff);
}

TEST(bits, all) {
    run_vector_cases(
        {
            {"v_and_b32 v20, v1, v2",
             [](in i) {
                 return word(i.v[0] & i.v[1]);
             }},
            {"v_or_b32 v20, 0x12345678, v2",
             [](in i) {
                 return word(0x12345678u | i.v[1]);
             }},
            {"v_xor_b32 v20, -16, v2",
             [](in i) {
                 return word(0xfffffff0u ^ i.v[1]);
             }},
            {"v_xnor_b32 v20, v1, v2",
             [](in i) {
                 return word(~(i.v[0] ^ i.v[1]));
             }},
            {"v_not_b32 v20, v1",
             [](in i) {
                 return word(~i.v[0]);
             }},
            {"v_and_or_b32 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] & i.v[1]) | i.v[2]);
             }},
            {"v_or3_b32 v20, v1, v2, v3",
             [](in i) {
                 return word(i.v[0] | i.v[1] | i.v[2]);
             }},
            {"v_xor3_b32 v20, v1, v2, v3",
             [](in i) {
                 return word(i.v[0] ^ i.v[1] ^ i.v[2]);
             }},
            {"v_bfi_b32 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] & i.v[1]) | (~i.v[0] & i.v[2]));
             }},
            {"v_bfe_u32 v20, v1, v2, v3",
             [](in i) {
                 return word(static_cast<u32>((u64{i.v[0]} >> (i.v[1] & 31)) &
                                              ((u64{1} << (i.v[2] & 31)) - 1)));
             }},
            {"v_bfe_i32 v20, v1, v2, v3",
             [](in i) {
                 const u32 width = i.v[2] & 31;
                 if (!width) return word(0u);
                 const i64 field = i64{s(i.v[0])} >> (i.v[1] & 31);
                 return word(
                     u(static_cast<i64>(static_cast<u64>(field) << (64 - width)) >> (64 - width)));
             }},
            {"v_bfm_b32 v20, v1, v2",
             [](in i) {
                 return word(((1u << (i.v[0] & 31)) - 1) << (i.v[1] & 31));
             }},
            {"v_lshlrev_b32 v20, v1, v2",
             [](in i) {
                 return word(i.v[1] << (i.v[0] & 31));
             }},
            {"v_lshrrev_b32 v20, v1, v2",
             [](in i) {
                 return word(i.v[1] >> (i.v[0] & 31));
             }},
            {"v_ashrrev_i32 v20, v1, v2",
             [](in i) {
                 return word(u(s(i.v[1]) >> (i.v[0] & 31)));
             }},
            {"v_lshl_or_b32 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] << (i.v[1] & 31)) | i.v[2]);
             }},
            {"v_alignbit_b32 v20, v1, v2, v3",
             [](in i) {
                 return word(static_cast<u32>(pair(i.v[1], i.v[0]) >> (i.v[2] & 31)));
             }},
            {"v_alignbyte_b32 v20, v1, v2, v3",
             [](in i) {
                 return word(static_cast<u32>(pair(i.v[1], i.v[0]) >> (8 * (i.v[2] & 3))));
             }},
            {"v_and_b32 v7, 0x0f0f0f0f, v3\n v_perm_b32 v20, v1, v2, v7",
             [](in i) {
                 u32 r = 0;
                 for (int b = 0; b < 32; b += 8)
                     r |= perm_byte(i.v[0], i.v[1], i.v[2] >> b & 0x0f) << b;
                 return word(r);
             }},
            {"v_perm_b32 v20, v1, v2, v3",
             [](in i) {
                 u32 r = 0;
                 for (int b = 0; b < 32; b += 8)
                     r |= perm_byte(i.v[0], i.v[1], i.v[2] >> b & 0xff) << b;
                 return word(r);
             }},
            {"v_cndmask_b32 v20, v1, v2, vcc_lo",
             [](in i) {
                 return word(i.vcc ? i.v[1] : i.v[0]);
             }},
            {"v_cndmask_b32_e64 v20, -v1, |v2|, vcc_lo",
             [](in i) {
                 return word(i.vcc ? i.v[1] & 0x7fffffffu : i.v[0] ^ 0x80000000u);
             }},
            {"v_bfrev_b32 v20, v1",
             [](in i) {
                 u32 r = 0;
                 for (int b = 0; b < 32; ++b)
                     r = r << 1 | (i.v[0] >> b & 1);
                 return word(r);
             }},
            {"v_bcnt_u32_b32 v20, v1, v2",
             [](in i) {
                 return word(count_bits(i.v[0]) + i.v[1]);
             }},
            {"v_clz_i32_u32 v20, v1",
             [](in i) {
                 int n = 0;
                 while (n < 32 && !(i.v[0] >> (31 - n) & 1))
                     ++n;
                 return word(n == 32 ? 0xffffffffu : static_cast<u32>(n));
             }},
            {"v_ctz_i32_b32 v20, v1",
             [](in i) {
                 int n = 0;
                 while (n < 32 && !(i.v[0] >> n & 1))
                     ++n;
                 return word(n == 32 ? 0xffffffffu : static_cast<u32>(n));
             }},
            {"v_cls_i32 v20, v1",
             [](in i) {
                 int n = 1;
                 while (n < 32 && (i.v[0] >> (31 - n) & 1) == i.v[0] >> 31)
                     ++n;
                 return word(n == 32 ? 0xffffffffu : static_cast<u32>(n));
             }},
            {"v_mbcnt_lo_u32_b32 v20, v1, v2",
             [](in i) {
                 return word(count_bits(i.v[0] & ((1u << i.lane) - 1)) + i.v[1]);
             }},
            {"v_mbcnt_hi_u32_b32 v20, v1, v2",
             [](in i) {
                 return word(i.v[1]);
             }},
            // Pairs: each half may read what the other writes.
            {"v_dual_mov_b32 v20, v1 :: v_dual_and_b32 v21, v20, v2",
             [](in i) { return lane_output{i.v[0], i.old[0] & i.v[1], false}; }, match::bits, false,
             true},
            {"v_dual_mov_b32 v20, v21 :: v_dual_mov_b32 v21, v20",
             [](in i) { return lane_output{i.old[1], i.old[0], false}; }, match::bits, false, true},
            {"v_dual_cndmask_b32 v20, v1, v2 :: v_dual_lshlrev_b32 v21, 3, v3",
             [](in i) { return lane_output{i.vcc ? i.v[1] : i.v[0], i.v[2] << 3, false}; },
             match::bits, false, true},
            {"v_dual_mov_b32 v20, 7 :: v_dual_add_nc_u32 v21, v1, v2",
             [](in i) { return lane_output{7, i.v[0] + i.v[1], false}; }, match::bits, false, true},
        },
        input_kind::bits, 20261131);
}

} // namespace
} // namespace instructions
