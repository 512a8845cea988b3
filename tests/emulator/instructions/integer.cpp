// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Integer and bit instructions, exact over random and special operands.
#include "bench.hpp"
#include <algorithm>

namespace instructions {
namespace {

using in = const lane_input&;
i32 s(u32 x) {
    return static_cast<i32>(x);
}
u32 u(i64 x) {
    return static_cast<u32>(x);
}

TEST(integer, arithmetic) {
    run_vector_cases(
        {
            {"v_add_nc_u32 v20, v1, v2",
             [](in i) {
                 return word(i.v[0] + i.v[1]);
             }},
            {"v_sub_nc_u32 v20, v1, v2",
             [](in i) {
                 return word(i.v[0] - i.v[1]);
             }},
            {"v_subrev_nc_u32 v20, v1, v2",
             [](in i) {
                 return word(i.v[1] - i.v[0]);
             }},
            {"v_add_nc_u32_e64 v20, v1, v2 clamp",
             [](in i) {
                 return word(static_cast<u32>(std::min<u64>(u64{i.v[0]} + i.v[1], 0xffffffff)));
             }},
            {"v_sub_nc_u32_e64 v20, v1, v2 clamp",
             [](in i) {
                 return word(i.v[0] > i.v[1] ? i.v[0] - i.v[1] : 0u);
             }},
            {"v_add_nc_i32 v20, v1, v2 clamp",
             [](in i) {
                 return word(
                     u(std::clamp<i64>(i64{s(i.v[0])} + s(i.v[1]), -0x80000000ll, 0x7fffffff)));
             }},
            {"v_sub_nc_i32 v20, v1, v2",
             [](in i) {
                 return word(i.v[0] - i.v[1]);
             }},
            {"v_mul_lo_u32 v20, v1, v2",
             [](in i) {
                 return word(i.v[0] * i.v[1]);
             }},
            {"v_mul_hi_u32 v20, v1, v2",
             [](in i) {
                 return word(u(static_cast<i64>(u64{i.v[0]} * i.v[1] >> 32)));
             }},
            {"v_mul_hi_i32 v20, v1, v2",
             [](in i) {
                 return word(u(i64{s(i.v[0])} * s(i.v[1]) >> 32));
             }},
            {"v_mul_u32_u24 v20, v1, v2",
             [](in i) {
                 return word((i.v[0] & 0xffffff) * (i.v[1] & 0xffffff));
             }},
            {"v_mul_i32_i24 v20, v1, v2",
             [](in i) {
                 return word(u(i64{s(i.v[0] << 8) >> 8} * (s(i.v[1] << 8) >> 8)));
             }},
            {"v_mad_u32_u24 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] & 0xffffff) * (i.v[1] & 0xffffff) + i.v[2]);
             }},
            {"v_mad_co_u64_u32 v[20:21], s20, v1, v2, v[3:4]",
             [](in i) {
                 const unsigned __int128 r =
                     static_cast<unsigned __int128>(u64{i.v[0]} * i.v[1]) + pair(i.v[2], i.v[3]);
                 lane_output o = wide(static_cast<u64>(r));
                 o.mask = r >> 64 != 0;
                 return o;
             },
             match::bits, true, true},
            {"v_mad_co_i64_i32 v[20:21], null, v1, v2, v[3:4]",
             [](in i) {
                 return wide(static_cast<u64>(i64{s(i.v[0])} * s(i.v[1])) + pair(i.v[2], i.v[3]));
             },
             match::bits, false, true},
            {"v_add_co_u32 v20, s20, v1, v2 clamp",
             [](in i) {
                 const u64 sum = u64{i.v[0]} + i.v[1];
                 return lane_output{u(static_cast<i64>(std::min<u64>(sum, 0xffffffff))), 0,
                                    sum >> 32 != 0};
             },
             match::bits, true},
            {"v_sub_co_ci_u32_e64 v20, s20, v1, v2, vcc_lo clamp",
             [](in i) {
                 const i64 r = i64{i.v[0]} - i.v[1] - i.vcc;
                 return lane_output{u(std::max<i64>(r, 0)), 0, r < 0};
             },
             match::bits, true},
            {"v_mad_u32_u24 v20, v1, v2, v3 clamp",
             [](in i) {
                 const i64 r = i64{i.v[0] & 0xffffff} * (i.v[1] & 0xffffff) + i.v[2];
                 return word(u(std::min<i64>(r, 0xffffffff)));
             }},
            {"v_mad_i32_i16 v20, v1, v2, v3 clamp",
             [](in i) {
                 const i64 r = i64{static_cast<i16>(i.v[0])} * static_cast<i16>(i.v[1]) + s(i.v[2]);
                 return word(u(std::clamp<i64>(r, -0x80000000ll, 0x7fffffffll)));
             }},
            // The mask is bit 64 of the exact sum.
            {"v_mad_co_i64_i32 v[20:21], s20, v1, v2, v[3:4]",
             [](in i) {
                 const i64 product = i64{s(i.v[0])} * s(i.v[1]);
                 const i64 addend = static_cast<i64>(pair(i.v[2], i.v[3]));
                 const long double sum =
                     static_cast<long double>(product) + static_cast<long double>(addend);
                 lane_output r = wide(static_cast<u64>(product) + static_cast<u64>(addend));
                 r.mask = sum < 0;
                 return r;
             },
             match::bits, true, true},
            {"v_add_co_u32 v20, s20, v1, v2",
             [](in i) {
                 return lane_output{i.v[0] + i.v[1], 0, (u64{i.v[0]} + i.v[1]) >> 32 != 0};
             },
             match::bits, true},
            {"v_sub_co_u32 v20, s20, v1, v2",
             [](in i) { return lane_output{i.v[0] - i.v[1], 0, i.v[0] < i.v[1]}; }, match::bits,
             true},
            {"v_add_co_ci_u32_e64 v20, s20, v1, v2, vcc_lo",
             [](in i) {
                 const u64 r = u64{i.v[0]} + i.v[1] + i.vcc;
                 return lane_output{static_cast<u32>(r), 0, r >> 32 != 0};
             },
             match::bits, true},
            {"v_sub_co_ci_u32_e64 v20, s20, v1, v2, vcc_lo",
             [](in i) {
                 const u64 r = u64{i.v[0]} - i.v[1] - i.vcc;
                 return lane_output{static_cast<u32>(r), 0, r >> 63 != 0};
             },
             match::bits, true},
            {"v_subrev_co_ci_u32_e64 v20, s20, v1, v2, vcc_lo",
             [](in i) {
                 const u64 r = u64{i.v[1]} - i.v[0] - i.vcc;
                 return lane_output{static_cast<u32>(r), 0, r >> 63 != 0};
             },
             match::bits, true},
            {"v_min_i32 v20, v1, v2",
             [](in i) {
                 return word(u(std::min(s(i.v[0]), s(i.v[1]))));
             }},
            {"v_max_u32 v20, v1, v2",
             [](in i) {
                 return word(std::max(i.v[0], i.v[1]));
             }},
            {"v_med3_i32 v20, v1, v2, v3",
             [](in i) {
                 std::array<i32, 3> a{s(i.v[0]), s(i.v[1]), s(i.v[2])};
                 std::sort(a.begin(), a.end());
                 return word(u(a[1]));
             }},
            {"v_med3_u32 v20, v1, v2, v3",
             [](in i) {
                 std::array<u32, 3> a{i.v[0], i.v[1], i.v[2]};
                 std::sort(a.begin(), a.end());
                 return word(a[1]);
             }},
            {"v_min3_u32 v20, v1, v2, v3",
             [](in i) {
                 return word(std::min({i.v[0], i.v[1], i.v[2]}));
             }},
            {"v_max3_i32 v20, v1, v2, v3",
             [](in i) {
                 return word(u(std::max({s(i.v[0]), s(i.v[1]), s(i.v[2])})));
             }},
            {"v_lshl_add_u32 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] << (i.v[1] & 31)) + i.v[2]);
             }},
            {"v_add_lshl_u32 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] + i.v[1]) << (i.v[2] & 31));
             }},
            {"v_add3_u32 v20, v1, v2, v3",
             [](in i) {
                 return word(i.v[0] + i.v[1] + i.v[2]);
             }},
            {"v_xad_u32 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] ^ i.v[1]) + i.v[2]);
             }},
            {"v_sad_u8 v20, v1, v2, v3",
             [](in i) {
                 u32 r = i.v[2];
                 for (int b = 0; b < 32; b += 8)
                     r += static_cast<u32>(std::abs(s(i.v[0] >> b & 0xff) - s(i.v[1] >> b & 0xff)));
                 return word(r);
             }},
            {"v_lshlrev_b64_e64 v[20:21], v1, v[2:3]",
             [](in i) { return wide(pair(i.v[1], i.v[2]) << (i.v[0] & 63)); }, match::bits, false,
             true},
            {"v_lshrrev_b64 v[20:21], v1, v[2:3]",
             [](in i) { return wide(pair(i.v[1], i.v[2]) >> (i.v[0] & 63)); }, match::bits, false,
             true},
            {"v_ashrrev_i64 v[20:21], v1, v[2:3]",
             [](in i) {
                 return wide(
                     static_cast<u64>(static_cast<i64>(pair(i.v[1], i.v[2])) >> (i.v[0] & 63)));
             },
             match::bits, false, true},
            // In place, and with the source pair one register below the destination pair.
            {"v_mov_b32 v19, v1\n v_mov_b32 v20, v2\n v_lshlrev_b64_e64 v[20:21], 8, v[19:20]",
             [](in i) { return wide(pair(i.v[0], i.v[1]) << 8); }, match::bits, false, true},
        },
        input_kind::bits, 20261130);
}

TEST(integer, sixteen_bits) {
    const auto l = [](u32 x) {
        return static_cast<u16>(x);
    };
    const auto sl = [](u32 x) {
        return static_cast<i16>(x);
    };
    const auto h = [](const lane_input& i, i64 x) {
        return low_half(i, static_cast<u16>(x));
    };
    const auto both = [](u32 low, u32 high) {
        return word((low & 0xffff) | high << 16);
    };
    run_vector_cases(
        {
            {"v_add_nc_u16 v20, v1, v2",
             [=](in i) {
                 return h(i, l(i.v[0]) + l(i.v[1]));
             }},
            {"v_add_nc_u16 v20, v1, v2 clamp",
             [=](in i) {
                 return h(i, std::min(l(i.v[0]) + l(i.v[1]), 0xffff));
             }},
            {"v_sub_nc_u16 v20, v1, v2 op_sel:[1,0,0]",
             [=](in i) {
                 return h(i, l(i.v[0] >> 16) - l(i.v[1]));
             }},
            {"v_add_nc_u16 v20, v1, v2 op_sel:[0,1,1]",
             [=](in i) {
                 return word((i.old[0] & 0xffff) | static_cast<u32>(l(i.v[0]) + l(i.v[1] >> 16))
                                                       << 16);
             }},
            {"v_mul_lo_u16 v20, v1, v2",
             [=](in i) {
                 return h(i, u32{l(i.v[0])} * l(i.v[1]));
             }},
            {"v_mad_u16 v20, v1, v2, v3",
             [=](in i) {
                 return h(i, u32{l(i.v[0])} * l(i.v[1]) + l(i.v[2]));
             }},
            {"v_lshlrev_b16 v20, v1, v2",
             [=](in i) {
                 return h(i, l(i.v[1]) << (i.v[0] & 15));
             }},
            {"v_lshrrev_b16 v20, v1, v2",
             [=](in i) {
                 return h(i, l(i.v[1]) >> (i.v[0] & 15));
             }},
            {"v_ashrrev_i16 v20, v1, v2",
             [=](in i) {
                 return h(i, sl(i.v[1]) >> (i.v[0] & 15));
             }},
            {"v_min_u16 v20, v1, v2",
             [=](in i) {
                 return h(i, std::min(l(i.v[0]), l(i.v[1])));
             }},
            {"v_max_i16 v20, v1, v2",
             [=](in i) {
                 return h(i, std::max(sl(i.v[0]), sl(i.v[1])));
             }},
            {"v_cvt_i32_i16 v20, v1",
             [=](in i) {
                 return word(u(sl(i.v[0])));
             }},
            {"v_cvt_u32_u16 v20, v1",
             [=](in i) {
                 return word(u32{l(i.v[0])});
             }},
            {"v_pack_b32_f16 v20, v1, v2 op_sel:[1,0,0]",
             [=](in i) {
                 return both(i.v[0] >> 16, i.v[1]);
             }},
            {"v_pk_add_u16 v20, v1, v2",
             [=](in i) {
                 return both(i.v[0] + i.v[1], (i.v[0] >> 16) + (i.v[1] >> 16));
             }},
            {"v_pk_sub_i16 v20, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]",
             [=](in i) {
                 return both((i.v[0] >> 16) - i.v[1], i.v[0] - (i.v[1] >> 16));
             }},
            {"v_pk_mul_lo_u16 v20, v1, v2",
             [=](in i) {
                 return both(l(i.v[0]) * u32{l(i.v[1])}, l(i.v[0] >> 16) * u32{l(i.v[1] >> 16)});
             }},
            {"v_pk_mad_u16 v20, v1, v2, v3",
             [=](in i) {
                 return both(l(i.v[0]) * u32{l(i.v[1])} + i.v[2],
                             l(i.v[0] >> 16) * u32{l(i.v[1] >> 16)} + (i.v[2] >> 16));
             }},
            {"v_pk_max_i16 v20, v1, v2",
             [=](in i) {
                 return both(static_cast<u16>(std::max(sl(i.v[0]), sl(i.v[1]))),
                             static_cast<u16>(std::max(sl(i.v[0] >> 16), sl(i.v[1] >> 16))));
             }},
            {"v_pk_lshlrev_b16 v20, v1, v2",
             [=](in i) {
                 return both(i.v[1] << (i.v[0] & 15), (i.v[1] >> 16) << (i.v[0] >> 16 & 15));
             }},
            {"v_pk_ashrrev_i16 v20, 4, v2 op_sel_hi:[0,1]",
             [=](in i) {
                 return both(static_cast<u32>(sl(i.v[1]) >> 4),
                             static_cast<u32>(sl(i.v[1] >> 16) >> 4));
             }},
            {"v_dot4_i32_iu8 v20, v1, v2, v3 neg_lo:[1,0,0]",
             [=](in i) {
                 i64 r = s(i.v[2]);
                 for (int b = 0; b < 32; b += 8)
                     r += static_cast<i8>(i.v[0] >> b) * static_cast<i32>(i.v[1] >> b & 0xff);
                 return word(u(r));
             }},
            {"v_dot4_u32_u8 v20, v1, v2, v3",
             [=](in i) {
                 u32 r = i.v[2];
                 for (int b = 0; b < 32; b += 8)
                     r += (i.v[0] >> b & 0xff) * (i.v[1] >> b & 0xff);
                 return word(r);
             }},
            {"v_dot8_i32_iu4 v20, v1, v2, v3 neg_lo:[1,1,0]",
             [=](in i) {
                 i64 r = s(i.v[2]);
                 for (int b = 0; b < 32; b += 4)
                     r += (s(i.v[0] << (28 - b)) >> 28) * (s(i.v[1] << (28 - b)) >> 28);
                 return word(u(r));
             }},
        },
        input_kind::bits, 20261132);
}

} // namespace
} // namespace instructions
