// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar arithmetic, logic, compares and floats.
#include "scalar_bench.hpp"

namespace instructions {
namespace {

using in = scalar_in;

TEST(scalar, arithmetic) {
    run_scalar_cases({
        {"s_add_co_u32 s12, s8, s9",
         [](in i) {
             return scalar_output{i.a + i.b, (u64{i.a} + i.b) >> 32 != 0};
         }},
        {"s_sub_co_u32 s12, s8, s9",
         [](in i) {
             return scalar_output{i.a - i.b, i.a < i.b};
         }},
        {"s_add_co_ci_u32 s12, s8, s9",
         [](in i) {
             const u64 r = u64{i.a} + i.b + 1;
             return scalar_output{static_cast<u32>(r), r >> 32 != 0};
         }},
        {"s_sub_co_ci_u32 s12, s8, s9",
         [](in i) {
             const u64 r = u64{i.a} - i.b - 1;
             return scalar_output{static_cast<u32>(r), r >> 63 != 0};
         }},
        {"s_add_co_i32 s12, s8, s9",
         [](in i) {
             const i64 r = i64{s(i.a)} + s(i.b);
             return scalar_output{static_cast<u32>(r), r != s(static_cast<u32>(r))};
         }},
        {"s_addk_co_i32 s8, 0x8001\n s_cselect_b32 s13, 1, 0\n s_mov_b32 s12, s8",
         [](in i) {
             const i64 r = i64{s(i.a)} - 32767;
             return scalar_output{pair(static_cast<u32>(r), r != s(static_cast<u32>(r))), false};
         },
         false},
        {"s_movk_i32 s12, 0x8000",
         [](in) {
             return scalar_output{0xffff8000u, true};
         }},
        {"s_mul_i32 s12, s8, s9",
         [](in i) {
             return scalar_output{i.a * i.b, true};
         }},
        {"s_mulk_i32 s8, 0xfffe\n s_mov_b32 s12, s8",
         [](in i) {
             return scalar_output{i.a * 0xfffffffeu, true};
         }},
        {"s_mul_hi_u32 s12, s8, s9",
         [](in i) {
             return scalar_output{u64{i.a} * i.b >> 32, true};
         }},
        {"s_mul_hi_i32 s12, s8, s9",
         [](in i) {
             return scalar_output{static_cast<u32>(i64{s(i.a)} * s(i.b) >> 32), true};
         }},
        {"s_mul_u64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return scalar_output{first(i) * second(i), true};
         }},
        {"s_add_nc_u64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return scalar_output{first(i) + second(i), true};
         }},
        {"s_sub_nc_u64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return scalar_output{first(i) - second(i), true};
         }},
        {"s_lshl2_add_u32 s12, s8, s9",
         [](in i) {
             const u64 r = (u64{i.a} << 2) + i.b;
             return scalar_output{static_cast<u32>(r), r >> 32 != 0};
         }},
        {"s_min_i32 s12, s8, s9",
         [](in i) {
             return scalar_output{s(i.a) < s(i.b) ? i.a : i.b, s(i.a) < s(i.b)};
         }},
        {"s_max_u32 s12, s8, s9",
         [](in i) {
             return scalar_output{i.a > i.b ? i.a : i.b, i.a > i.b};
         }},
        {"s_abs_i32 s12, s8",
         [](in i) {
             return nonzero(s(i.a) < 0 ? 0u - i.a : i.a);
         }},
        {"s_cselect_b32 s12, s8, s9",
         [](in i) {
             return scalar_output{i.a, true};
         }},
        {"s_cselect_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return scalar_output{first(i), true};
         }},
    });
}

TEST(scalar, bits) {
    run_scalar_cases({
        {"s_and_b32 s12, s8, s9",
         [](in i) {
             return nonzero(i.a & i.b);
         }},
        {"s_or_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return nonzero(first(i) | second(i));
         }},
        {"s_xor_b32 s12, s8, 0x12345678",
         [](in i) {
             return nonzero(i.a ^ 0x12345678u);
         }},
        {"s_and_not1_b32 s12, s8, s9",
         [](in i) {
             return nonzero(i.a & ~i.b);
         }},
        {"s_or_not1_b64 s[12:13], s[8:9], s[10:11]",
         [](in i) {
             return nonzero(first(i) | ~second(i));
         }},
        {"s_nand_b32 s12, s8, s9",
         [](in i) {
             return nonzero(static_cast<u32>(~(i.a & i.b)));
         }},
        {"s_nor_b32 s12, s8, s9",
         [](in i) {
             return nonzero(static_cast<u32>(~(i.a | i.b)));
         }},
        {"s_xnor_b32 s12, s8, s9",
         [](in i) {
             return nonzero(static_cast<u32>(~(i.a ^ i.b)));
         }},
        {"s_not_b64 s[12:13], s[8:9]",
         [](in i) {
             return nonzero(~first(i));
         }},
        {"s_and_b64 s[12:13], s[8:9], 0xf0f0f0f0",
         [](in i) {
             return nonzero(first(i) & 0xf0f0f0f0u);
         }},
        {"s_lshl_b32 s12, s8, s9",
         [](in i) {
             return nonzero(i.a << (i.b & 31));
         }},
        {"s_lshr_b64 s[12:13], s[8:9], s10",
         [](in i) {
             return nonzero(first(i) >> (i.c & 63));
         }},
        {"s_ashr_i32 s12, s8, s9",
         [](in i) {
             return nonzero(static_cast<u32>(s(i.a) >> (i.b & 31)));
         }},
        {"s_ashr_i64 s[12:13], s[8:9], 5",
         [](in i) {
             return nonzero(static_cast<u64>(static_cast<i64>(first(i)) >> 5));
         }},
        {"s_bfe_u32 s12, s8, s9",
         [](in i) {
             const u32 width = i.b >> 16 & 0x7f;
             const u64 field = u64{i.a} >> (i.b & 31);
             return nonzero(width >= 32 ? field : field & ((u64{1} << width) - 1));
         }},
        {"s_bfe_i32 s12, s8, 0x00070005",
         [](in i) {
             return nonzero(static_cast<u32>(s(i.a << 20) >> 25));
         }},
        {"s_bfe_u64 s[12:13], s[8:9], 0x00200010",
         [](in i) {
             return nonzero(static_cast<u32>(first(i) >> 16));
         }},
        {"s_bfm_b32 s12, s8, s9",
         [](in i) {
             return scalar_output{((1u << (i.a & 31)) - 1) << (i.b & 31), true};
         }},
        {"s_brev_b32 s12, s8",
         [](in i) {
             u32 r = 0;
             for (int n = 0; n < 32; ++n)
                 r = r << 1 | (i.a >> n & 1);
             return scalar_output{r, true};
         }},
        {"s_bcnt1_i32_b32 s12, s8",
         [](in i) {
             return nonzero(static_cast<u32>(std::popcount(i.a)));
         }},
        {"s_bcnt1_i32_b64 s12, s[8:9]",
         [](in i) {
             return nonzero(static_cast<u32>(std::popcount(first(i))));
         }},
        {"s_ctz_i32_b32 s12, s8",
         [](in i) {
             return scalar_output{i.a ? static_cast<u32>(std::countr_zero(i.a)) : 0xffffffffu,
                                  true};
         }},
        {"s_clz_i32_u32 s12, s8",
         [](in i) {
             return scalar_output{i.a ? static_cast<u32>(std::countl_zero(i.a)) : 0xffffffffu,
                                  true};
         }},
        {"s_clz_i32_u64 s12, s[8:9]",
         [](in i) {
             return scalar_output{
                 first(i) ? static_cast<u32>(std::countl_zero(first(i))) : 0xffffffffu, true};
         }},
        {"s_sext_i32_i8 s12, s8",
         [](in i) {
             return scalar_output{static_cast<u32>(i32{static_cast<i8>(i.a)}), true};
         }},
        {"s_sext_i32_i16 s12, s8",
         [](in i) {
             return scalar_output{static_cast<u32>(i32{static_cast<i16>(i.a)}), true};
         }},
        {"s_bitset1_b32 s8, 7\n s_mov_b32 s12, s8",
         [](in i) {
             return scalar_output{i.a | 128, true};
         }},
        {"s_bitset0_b32 s8, s9\n s_mov_b32 s12, s8",
         [](in i) {
             return scalar_output{i.a & ~(1u << (i.b & 31)), true};
         }},
        {"s_pack_ll_b32_b16 s12, s8, s9",
         [](in i) {
             return scalar_output{(i.a & 0xffff) | i.b << 16, true};
         }},
        {"s_pack_lh_b32_b16 s12, s8, s9",
         [](in i) {
             return scalar_output{(i.a & 0xffff) | (i.b & 0xffff0000u), true};
         }},
        {"s_pack_hl_b32_b16 s12, s8, s9",
         [](in i) {
             return scalar_output{i.a >> 16 | i.b << 16, true};
         }},
        {"s_mov_b64 s[12:13], s[8:9]",
         [](in i) {
             return scalar_output{first(i), true};
         }},
        {"s_mov_b32 m0, 2\n s_movrels_b32 s12, s8",
         [](in i) {
             return scalar_output{i.c, true};
         }},
    });
}

TEST(scalar, compares_and_floats) {
    const auto only_scc = [](bool x) {
        return scalar_output{0, x};
    };
    const auto fl = [](u32 x) {
        return f32(x);
    };
    run_scalar_cases({
        {"s_cmp_lt_i32 s8, s9",
         [=](in i) {
             return only_scc(s(i.a) < s(i.b));
         }},
        {"s_cmp_ge_u32 s8, s9",
         [=](in i) {
             return only_scc(i.a >= i.b);
         }},
        {"s_cmp_eq_u64 s[8:9], s[10:11]",
         [=](in i) {
             return only_scc(first(i) == second(i));
         }},
        {"s_cmp_lg_u32 s8, s9",
         [=](in i) {
             return only_scc(i.a != i.b);
         }},
        {"s_bitcmp1_b32 s8, s9",
         [=](in i) {
             return only_scc(i.a >> (i.b & 31) & 1);
         }},
        {"s_cmp_lt_f32 s8, s9",
         [=](in i) {
             return only_scc(fl(i.a) < fl(i.b));
         }},
        {"s_cmp_nge_f32 s8, s9",
         [=](in i) {
             return only_scc(!(fl(i.a) >= fl(i.b)));
         }},
        {"s_cvt_f32_i32 s12, s8",
         [](in i) {
             return scalar_output{bits(static_cast<float>(s(i.a))), true};
         }},
        {"s_cvt_f32_u32 s12, s8",
         [](in i) {
             return scalar_output{bits(static_cast<float>(i.a)), true};
         }},
        {"s_cvt_f32_u32 s8, s8\n s_cvt_f32_u32 s9, s9\n s_mul_f32 s12, s8, s9",
         [](in i) {
             return scalar_output{bits(static_cast<float>(i.a) * static_cast<float>(i.b)), true};
         }},
        {"s_cvt_f32_i32 s8, s8\n s_cvt_f32_i32 s9, s9\n s_cvt_f32_i32 s12, s10\n s_fmac_f32 s12, "
         "s8, s9",
         [](in i) {
             return scalar_output{
                 bits(std::fma(static_cast<float>(s(i.a)), static_cast<float>(s(i.b)),
                               static_cast<float>(s(i.c)))),
                 true};
         }},
        {"s_cvt_f32_u32 s8, s8\n s_cvt_f16_f32 s12, s8",
         [](in i) {
             return scalar_output{round_to_half(static_cast<double>(static_cast<float>(i.a))),
                                  true};
         }},
        {"s_cvt_f32_u32 s8, s8\n v_s_rcp_f32 s12, s8",
         [](in i) {
             return scalar_output{bits(1.0f / static_cast<float>(i.a)), true};
         }},
    });
}

} // namespace
} // namespace instructions
