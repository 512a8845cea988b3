// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// More vector instructions: integers, differences of bytes, doubles, cube maps, moves by M0.
#include "bench.hpp"
#include <algorithm>

namespace instructions {
namespace {

using in = const lane_input&;
i32 s(u32 x) {
    return static_cast<i32>(x);
}
i64 s24(u32 x) {
    return static_cast<i32>(x << 8) >> 8;
}
u32 u(i64 x) {
    return static_cast<u32>(x);
}
i16 s16(u32 x) {
    return static_cast<i16>(x);
}
template<class T>
T middle(T a, T b, T c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
/// Sum over bytes (8) or halves (16) of the sizes of differences.
u32 differences(u32 a, u32 b, u32 sum, unsigned width, bool masked = false) {
    const u32 field = (1u << width) - 1;
    for (unsigned at = 0; at < 32; at += width) {
        const i32 x = s(a >> at & field), y = s(b >> at & field);
        if (!masked || y) sum += u(std::abs(x - y));
    }
    return sum;
}
u64 windows(u64 a, u32 b, u64 sums, bool masked) {
    u64 r = 0;
    for (unsigned n = 0; n < 4; ++n)
        r |= u64{differences(static_cast<u32>(a >> 8 * n), b, sums >> 16 * n & 0xffff, 8, masked) &
                 0xffff}
             << 16 * n;
    return r;
}
u64 wide_of(in i, int n) {
    return pair(i.v[n], i.v[n + 1]);
}

TEST(integer, more) {
    run_vector_cases(
        {
            {"v_subrev_co_u32 v20, s20, v1, v2",
             [](in i) { return lane_output{i.v[1] - i.v[0], 0, i.v[1] < i.v[0]}; }, match::bits,
             true},
            {"v_mul_hi_u32_u24 v20, v1, v2",
             [](in i) {
                 return word(u(i64{i.v[0] & 0xffffff} * (i.v[1] & 0xffffff) >> 32));
             }},
            {"v_mul_hi_i32_i24 v20, v1, v2",
             [](in i) {
                 return word(u(s24(i.v[0]) * s24(i.v[1]) >> 32));
             }},
            {"v_mad_i32_i24 v20, v1, v2, v3",
             [](in i) {
                 return word(u(s24(i.v[0]) * s24(i.v[1]) + i.v[2]));
             }},
            {"v_mad_u32_u16 v20, v1, v2, v3",
             [](in i) {
                 return word((i.v[0] & 0xffff) * (i.v[1] & 0xffff) + i.v[2]);
             }},
            {"v_min_u32 v20, v1, v2",
             [](in i) {
                 return word(std::min(i.v[0], i.v[1]));
             }},
            {"v_max_i32 v20, v1, v2",
             [](in i) {
                 return word(u(std::max(s(i.v[0]), s(i.v[1]))));
             }},
            {"v_max3_u32 v20, v1, v2, v3",
             [](in i) {
                 return word(std::max({i.v[0], i.v[1], i.v[2]}));
             }},
            {"v_min3_i32 v20, v1, v2, v3",
             [](in i) {
                 return word(u(std::min({s(i.v[0]), s(i.v[1]), s(i.v[2])})));
             }},
            {"v_maxmin_u32 v20, v1, v2, v3",
             [](in i) {
                 return word(std::min(std::max(i.v[0], i.v[1]), i.v[2]));
             }},
            {"v_minmax_u32 v20, v1, v2, v3",
             [](in i) {
                 return word(std::max(std::min(i.v[0], i.v[1]), i.v[2]));
             }},
            {"v_maxmin_i32 v20, v1, v2, v3",
             [](in i) {
                 return word(u(std::min(std::max(s(i.v[0]), s(i.v[1])), s(i.v[2]))));
             }},
            {"v_minmax_i32 v20, v1, v2, v3",
             [](in i) {
                 return word(u(std::max(std::min(s(i.v[0]), s(i.v[1])), s(i.v[2]))));
             }},
            {"v_msad_u8 v20, v1, v2, v3",
             [](in i) {
                 return word(differences(i.v[0], i.v[1], i.v[2], 8, true));
             }},
            {"v_sad_hi_u8 v20, v1, v2, v3",
             [](in i) {
                 return word((differences(i.v[0], i.v[1], 0, 8) << 16) + i.v[2]);
             }},
            {"v_sad_u16 v20, v1, v2, v3",
             [](in i) {
                 return word(differences(i.v[0], i.v[1], i.v[2], 16));
             }},
            {"v_sad_u32 v20, v1, v2, v3",
             [](in i) {
                 return word(std::max(i.v[0], i.v[1]) - std::min(i.v[0], i.v[1]) + i.v[2]);
             }},
            {"v_lerp_u8 v20, v1, v2, v3",
             [](in i) {
                 u32 r = 0;
                 for (unsigned at = 0; at < 32; at += 8)
                     r |= ((i.v[0] >> at & 255) + (i.v[1] >> at & 255) + (i.v[2] >> at & 1)) / 2
                          << at;
                 return word(r);
             }},
            {"v_qsad_pk_u16_u8 v[20:21], v[1:2], v3, v[4:5]",
             [](in i) { return wide(windows(wide_of(i, 0), i.v[2], wide_of(i, 3), false)); },
             match::bits, false, true},
            {"v_mqsad_pk_u16_u8 v[20:21], v[1:2], v3, v[4:5]",
             [](in i) { return wide(windows(wide_of(i, 0), i.v[2], wide_of(i, 3), true)); },
             match::bits, false, true},
            {"v_mqsad_u32_u8 v[24:27], v[1:2], v3, v[3:6]\n v_mov_b32 v20, v24\n v_mov_b32 v21, "
             "v27",
             [](in i) {
                 const u64 a = wide_of(i, 0);
                 return wide(pair(differences(static_cast<u32>(a), i.v[2], i.v[2], 8, true),
                                  differences(static_cast<u32>(a >> 24), i.v[2], i.v[5], 8, true)));
             },
             match::bits, false, true},
        },
        input_kind::bits, 26001);
}

TEST(integer, shorts) {
    std::vector<vector_case> cases;
    const auto add = [&](const std::string& text, auto value) {
        cases.push_back({text, [=](in i) {
                             return low_half(i, static_cast<u16>(value(i.v[0], i.v[1], i.v[2])));
                         }});
    };
    using x = u32;
    add("v_add_nc_i16 v20, v1, v2", [](x a, x b, x) { return a + b; });
    add("v_add_nc_i16 v20, v1, v2 clamp",
        [](x a, x b, x) { return std::clamp(s16(a) + s16(b), -32768, 32767); });
    add("v_sub_nc_i16 v20, v1, v2", [](x a, x b, x) { return a - b; });
    add("v_mad_i16 v20, v1, v2, v3", [](x a, x b, x c) { return a * b + c; });
    add("v_and_b16 v20, v1, v2", [](x a, x b, x) { return a & b; });
    add("v_or_b16 v20, v1, v2", [](x a, x b, x) { return a | b; });
    add("v_xor_b16 v20, v1, v2", [](x a, x b, x) { return a ^ b; });
    add("v_not_b16 v20, v1", [](x a, x, x) { return ~a; });
    add("v_max_u16 v20, v1, v2", [](x a, x b, x) { return std::max(a & 0xffff, b & 0xffff); });
    add("v_min_i16 v20, v1, v2", [](x a, x b, x) { return std::min(s16(a), s16(b)); });
    add("v_min3_u16 v20, v1, v2, v3",
        [](x a, x b, x c) { return std::min({a & 0xffff, b & 0xffff, c & 0xffff}); });
    add("v_max3_u16 v20, v1, v2, v3",
        [](x a, x b, x c) { return std::max({a & 0xffff, b & 0xffff, c & 0xffff}); });
    add("v_med3_u16 v20, v1, v2, v3",
        [](x a, x b, x c) { return middle(a & 0xffff, b & 0xffff, c & 0xffff); });
    add("v_min3_i16 v20, v1, v2, v3",
        [](x a, x b, x c) { return std::min({s16(a), s16(b), s16(c)}); });
    add("v_max3_i16 v20, v1, v2, v3",
        [](x a, x b, x c) { return std::max({s16(a), s16(b), s16(c)}); });
    add("v_med3_i16 v20, v1, v2, v3", [](x a, x b, x c) { return middle(s16(a), s16(b), s16(c)); });
    add("v_sat_pk_u8_i16 v20, v1", [](x a, x, x) {
        return std::clamp<int>(s16(a), 0, 255) | std::clamp<int>(s16(a >> 16), 0, 255) << 8;
    });
    cases.push_back({"v_cndmask_b16 v20, v1, v2, vcc_lo", [](in i) {
                         return low_half(i, static_cast<u16>(i.v[i.vcc ? 1 : 0]));
                     }});
    // v_mov_b16 of the halves .l and .h, which the assembler does not take here.
    const auto move = [](u32 to, u32 from) {
        return ".long " + std::to_string(0x7e000000u | to << 17 | 0x1c << 9 | 256 | from);
    };
    cases.push_back({move(20 | 128, 1), [](in i) {
                         return word((i.old[0] & 0xffff) | i.v[0] << 16);
                     }});
    cases.push_back({move(20, 1 | 128), [](in i) {
                         return word((i.old[0] & 0xffff0000u) | i.v[0] >> 16);
                     }});
    const auto pairs = [&](const std::string& name, auto value) {
        cases.push_back({name + " v20, v1, v2", [=](in i) {
                             return word((value(i.v[0] & 0xffff, i.v[1] & 0xffff) & 0xffff) |
                                         value(i.v[0] >> 16, i.v[1] >> 16) << 16);
                         }});
    };
    pairs("v_pk_add_i16", [](x a, x b) { return a + b; });
    pairs("v_pk_sub_u16", [](x a, x b) { return a - b; });
    pairs("v_pk_min_u16", [](x a, x b) { return std::min(a, b); });
    pairs("v_pk_max_u16", [](x a, x b) { return std::max(a, b); });
    pairs("v_pk_min_i16", [](x a, x b) { return s16(a) < s16(b) ? a : b; });
    pairs("v_pk_lshrrev_b16", [](x a, x b) { return b >> (a & 15); });
    cases.push_back({"v_pk_mad_i16 v20, v1, v2, v3", [](in i) {
                         return word(((i.v[0] * i.v[1] + i.v[2]) & 0xffff) |
                                     ((i.v[0] >> 16) * (i.v[1] >> 16) + (i.v[2] >> 16)) << 16);
                     }});
    cases.push_back({"v_dot8_u32_u4 v20, v1, v2, v3", [](in i) {
                         u32 sum = i.v[2];
                         for (unsigned at = 0; at < 32; at += 4)
                             sum += (i.v[0] >> at & 15) * (i.v[1] >> at & 15);
                         return word(sum);
                     }});
    cases.push_back({"v_cvt_pk_u16_u32 v20, v1, v2", [](in i) {
                         return word(std::min(i.v[0], 0xffffu) | std::min(i.v[1], 0xffffu) << 16);
                     }});
    run_vector_cases(cases, input_kind::bits, 26002);
}

TEST(lanes, moves_by_m0) {
    run_vector_cases(
        {
            // Source one on; destination three on in the field above.
            {"s_mov_b32 m0, 0x30001\n v_movrelsd_2_b32 v17, v1",
             [](in i) {
                 return word(i.v[1]);
             }},
            {"s_mov_b32 m0, 2\n v_movrelsd_b32 v18, v1",
             [](in i) {
                 return word(i.v[2]);
             }},
            {"s_mov_b32 m0, 0x30001\n v_swaprel_b32 v17, v1\n v_mov_b32 v21, v2",
             [](in i) { return wide(pair(i.v[1], i.old[0])); }, match::bits, false, true},
        },
        input_kind::bits, 26003);
}

double d(in i, int n) {
    return f64(i.v[2 * n], i.v[2 * n + 1]);
}
double num_min(double a, double b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
double num_max(double a, double b) {
    return -num_min(-a, -b);
}
template<double (*F)(double, double)>
double or_nan(double a, double b) {
    return a != a || b != b ? NAN : F(a, b);
}

TEST(float64, more) {
    std::vector<vector_case> cases;
    const auto add = [&](const std::string& text, auto value) {
        cases.push_back({text + ", v[1:2]", [=](in i) { return wide(value(d(i, 0), d(i, 1))); },
                         match::f64, false, true});
    };
    const auto two = [&](const std::string& name, auto value) {
        cases.push_back({name + " v[20:21], v[1:2], v[3:4]",
                         [=](in i) { return wide(value(d(i, 0), d(i, 1))); }, match::f64, false,
                         true});
    };
    two("v_min_num_f64", num_min);
    two("v_max_num_f64", num_max);
    two("v_minimum_f64", or_nan<num_min>);
    two("v_maximum_f64", or_nan<num_max>);
    add("v_ceil_f64 v[20:21]", [](double a, double) { return std::ceil(a); });
    add("v_trunc_f64 v[20:21]", [](double a, double) { return std::trunc(a); });
    add("v_fract_f64 v[20:21]", [](double a, double) {
        return std::isinf(a) ? NAN : std::min(a - std::floor(a), 0x1.fffffffffffffp-1);
    });
    add("v_frexp_mant_f64 v[20:21]", [](double a, double) {
        int e = 0;
        return std::isfinite(a) ? std::frexp(a, &e) : a;
    });
    add("v_rsq_f64 v[20:21]", [](double a, double) { return 1 / std::sqrt(a); });
    cases.push_back({"v_frexp_exp_i32_f64 v20, v[1:2]", [](in i) {
                         int e = 0;
                         if (std::isfinite(d(i, 0))) std::frexp(d(i, 0), &e);
                         return word(static_cast<u32>(e));
                     }});
    cases.push_back({"v_cvt_f64_u32 v[20:21], v1",
                     [](in i) { return wide(static_cast<double>(i.v[0])); }, match::f64, false,
                     true});
    // 2/pi in pieces of 53 bits: for exponents below 1078 the argument does not move them.
    cases.push_back({"v_trig_preop_f64 v[20:21], 1.0, 0",
                     [](in) { return wide(std::bit_cast<double>(0x3fe45f306dc9c882u)); },
                     match::f64, false, true});
    run_vector_cases(cases, input_kind::doubles, 26004);
}

} // namespace
} // namespace instructions
