// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// f32 and f64 arithmetic and the transcendental unit.
#include "bench.hpp"
#include <algorithm>

namespace instructions {
namespace {

using in = const lane_input&;
float x(in i, int n) {
    return f32(i.v[n]);
}
double d(in i, int n) {
    return f64(i.v[2 * n], i.v[2 * n + 1]);
}
double w(float v) {
    return static_cast<double>(v);
}

float number_min(float a, float b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
float number_max(float a, float b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}
bool tiny(float v) {
    return v != 0 && std::fabs(v) < 0x1p-126f;
}
float flushed(float v) {
    return tiny(v) ? std::copysign(0.0f, v) : v;
}
lane_output transcend(in i, double (*f)(double)) {
    return word(flushed(static_cast<float>(f(w(flushed(x(i, 0)))))));
}

TEST(float32, arithmetic) {
    run_vector_cases(
        {
            {"v_add_f32 v20, v1, v2", [](in i) { return word(x(i, 0) + x(i, 1)); }, match::f32},
            {"v_sub_f32 v20, v1, v2", [](in i) { return word(x(i, 0) - x(i, 1)); }, match::f32},
            {"v_subrev_f32 v20, v1, v2", [](in i) { return word(x(i, 1) - x(i, 0)); }, match::f32},
            {"v_mul_f32 v20, v1, v2", [](in i) { return word(x(i, 0) * x(i, 1)); }, match::f32},
            {"v_mul_f32_e64 v20, -v1, |v2|",
             [](in i) { return word(-x(i, 0) * std::fabs(x(i, 1))); }, match::f32},
            // These kernels keep denormals, and then output modifiers do nothing.
            {"v_mul_f32_e64 v20, v1, v2 mul:4", [](in i) { return word(x(i, 0) * x(i, 1)); },
             match::f32},
            {"v_add_f32_e64 v20, v1, -|v2| div:2",
             [](in i) { return word(x(i, 0) - std::fabs(x(i, 1))); }, match::f32},
            {"v_add_f32_e64 v20, v1, v2 clamp",
             [](in i) {
                 const float s = x(i, 0) + x(i, 1);
                 return word(s >= 1 ? 1.0f : s > 0 ? s : 0.0f);
             },
             match::f32},
            {"v_mul_f32 v20, 0.15915494, v2", [](in i) { return word(f32(0x3e22f983) * x(i, 1)); },
             match::f32},
            {"v_mul_f32 v20, 0x40490fdb, v2", [](in i) { return word(f32(0x40490fdb) * x(i, 1)); },
             match::f32},
            {"v_add_f32 v20, -4.0, v2", [](in i) { return word(-4.0f + x(i, 1)); }, match::f32},
            {"v_fma_f32 v20, v1, v2, v3",
             [](in i) { return word(std::fma(x(i, 0), x(i, 1), x(i, 2))); }, match::f32},
            {"v_fma_f32 v20, -v1, v2, 1.0",
             [](in i) { return word(std::fma(-x(i, 0), x(i, 1), 1.0f)); }, match::f32},
            {"v_fmac_f32 v20, v1, v2",
             [](in i) { return word(std::fma(x(i, 0), x(i, 1), f32(i.old[0]))); }, match::f32},
            {"v_fmamk_f32 v20, v1, 0x3fb8aa3b, v2",
             [](in i) { return word(std::fma(x(i, 0), f32(0x3fb8aa3b), x(i, 1))); }, match::f32},
            {"v_fmaak_f32 v20, v1, v2, 0x42280000",
             [](in i) { return word(std::fma(x(i, 0), x(i, 1), 42.0f)); }, match::f32},
            {"v_dual_fmac_f32 v20, v1, v2 :: v_dual_mul_f32 v21, v3, v4",
             [](in i) {
                 return lane_output{bits(std::fma(x(i, 0), x(i, 1), f32(i.old[0]))),
                                    bits(x(i, 2) * x(i, 3)), false};
             },
             match::f32},
            {"v_min_num_f32 v20, v1, v2", [](in i) { return word(number_min(x(i, 0), x(i, 1))); },
             match::f32},
            {"v_max_num_f32 v20, v1, v2", [](in i) { return word(number_max(x(i, 0), x(i, 1))); },
             match::f32},
            {"v_minimum_f32 v20, v1, v2",
             [](in i) {
                 return word(
                     x(i, 0) != x(i, 0) || x(i, 1) != x(i, 1) ? NAN : number_min(x(i, 0), x(i, 1)));
             },
             match::f32},
            {"v_maximum_f32 v20, v1, v2",
             [](in i) {
                 return word(
                     x(i, 0) != x(i, 0) || x(i, 1) != x(i, 1) ? NAN : number_max(x(i, 0), x(i, 1)));
             },
             match::f32},
            {"v_min3_num_f32 v20, v1, v2, v3",
             [](in i) { return word(number_min(number_min(x(i, 0), x(i, 1)), x(i, 2))); },
             match::f32},
            {"v_max3_num_f32 v20, v1, v2, v3",
             [](in i) { return word(number_max(number_max(x(i, 0), x(i, 1)), x(i, 2))); },
             match::f32},
            {"v_med3_num_f32 v20, v1, v2, v3",
             [](in i) {
                 std::array<float, 3> a{x(i, 0), x(i, 1), x(i, 2)};
                 for (const float v : a)
                     if (v != v) return word(number_min(number_min(a[0], a[1]), a[2]));
                 std::sort(a.begin(), a.end(), [](float p, float q) {
                     return p < q || (p == q && std::signbit(p) && !std::signbit(q));
                 });
                 return word(a[1]);
             },
             match::f32},
            {"v_maxmin_num_f32 v20, v1, v2, v3",
             [](in i) { return word(number_min(number_max(x(i, 0), x(i, 1)), x(i, 2))); },
             match::f32},
            {"v_floor_f32 v20, v1", [](in i) { return word(std::floor(x(i, 0))); }, match::f32},
            {"v_ceil_f32 v20, v1", [](in i) { return word(std::ceil(x(i, 0))); }, match::f32},
            {"v_trunc_f32 v20, v1", [](in i) { return word(std::trunc(x(i, 0))); }, match::f32},
            {"v_rndne_f32 v20, v1", [](in i) { return word(std::nearbyint(x(i, 0))); }, match::f32},
            {"v_fract_f32 v20, v1",
             [](in i) {
                 const double f = w(x(i, 0)) - std::floor(w(x(i, 0)));
                 return word(std::isinf(x(i, 0))       ? NAN
                             : f >= w(f32(0x3f7fffff)) ? f32(0x3f7fffff)
                                                       : static_cast<float>(f));
             },
             match::ulp},
            {"v_frexp_mant_f32 v20, v1",
             [](in i) {
                 int e = 0;
                 return word(std::isfinite(x(i, 0)) ? std::frexp(x(i, 0), &e) : x(i, 0));
             },
             match::f32},
            {"v_frexp_exp_i32_f32 v20, v1",
             [](in i) {
                 int e = 0;
                 if (std::isfinite(x(i, 0))) std::frexp(x(i, 0), &e);
                 return word(static_cast<u32>(e));
             }},
            {"v_bfe_i32 v7, v2, 0, 9\n v_ldexp_f32 v20, v1, v7",
             [](in i) {
                 const int by = static_cast<int>(i.v[1] << 23) >> 23;
                 return word(std::ldexp(x(i, 0), by));
             },
             match::f32},
        },
        input_kind::floats, 7001);
}

/// The full division as compilers write it must give the correctly rounded quotient.
TEST(float32, division_sequence) {
    run_vector_cases(
        {
            {"v_div_scale_f32 v7, null, v2, v2, v1\n v_rcp_f32 v8, v7\n"
             " v_fma_f32 v9, -v7, v8, 1.0\n v_fmac_f32 v8, v9, v8\n"
             " v_div_scale_f32 v9, vcc_lo, v1, v2, v1\n v_mul_f32 v11, v9, v8\n"
             " v_fma_f32 v12, -v7, v11, v9\n v_fmac_f32 v11, v12, v8\n v_fma_f32 v7, -v7, v11, v9\n"
             " v_div_fmas_f32 v7, v7, v8, v11\n v_div_fixup_f32 v20, v7, v2, v1",
             [](in i) { return word(x(i, 0) / x(i, 1)); }, match::ulp},
        },
        input_kind::floats, 7002);
    run_vector_cases(
        {
            {"v_div_scale_f64 v[7:8], null, v[3:4], v[3:4], v[1:2]\n v_rcp_f64 v[11:12], v[7:8]\n"
             " v_fma_f64 v[13:14], -v[7:8], v[11:12], 1.0\n v_fma_f64 v[11:12], v[11:12], "
             "v[13:14], v[11:12]\n"
             " v_fma_f64 v[13:14], -v[7:8], v[11:12], 1.0\n v_fma_f64 v[11:12], v[11:12], "
             "v[13:14], v[11:12]\n"
             " v_div_scale_f64 v[13:14], vcc_lo, v[1:2], v[3:4], v[1:2]\n"
             " v_mul_f64 v[15:16], v[13:14], v[11:12]\n v_fma_f64 v[7:8], -v[7:8], v[15:16], "
             "v[13:14]\n"
             " v_div_fmas_f64 v[7:8], v[7:8], v[11:12], v[15:16]\n"
             " v_div_fixup_f64 v[20:21], v[7:8], v[3:4], v[1:2]\n"
             // A denormal quotient is rounded, scaled and rounded again: left out.
             " v_cmp_class_f64 s8, v[20:21], 0x90\n v_cndmask_b32 v20, v20, 0, s8\n"
             " v_cndmask_b32 v21, v21, 0, s8",
             [](in i) {
                 const double q = d(i, 0) / d(i, 1);
                 return wide(q != 0 && std::fabs(q) < 0x1p-1022 ? 0.0 : q);
             },
             match::f64, false, true},
        },
        input_kind::doubles, 7003);
}

TEST(float64, arithmetic) {
    run_vector_cases(
        {
            {"v_add_f64 v[20:21], v[1:2], -v[3:4]", [](in i) { return wide(d(i, 0) - d(i, 1)); },
             match::f64, false, true},
            {"v_mul_f64 v[20:21], v[1:2], |v[3:4]|",
             [](in i) { return wide(d(i, 0) * std::fabs(d(i, 1))); }, match::f64, false, true},
            {"v_add_f64 v[20:21], v[1:2], 0.5", [](in i) { return wide(d(i, 0) + 0.5); },
             match::f64, false, true},
            {"v_add_f64 v[20:21], v[1:2], 0x40590000", [](in i) { return wide(d(i, 0) + 100.0); },
             match::f64, false, true},
            {"v_fma_f64 v[20:21], v[1:2], v[3:4], v[5:6]",
             [](in i) { return wide(std::fma(d(i, 0), d(i, 1), d(i, 2))); }, match::f64, false,
             true},
            {"v_floor_f64 v[20:21], v[1:2]", [](in i) { return wide(std::floor(d(i, 0))); },
             match::f64, false, true},
            {"v_rndne_f64 v[20:21], v[1:2]", [](in i) { return wide(std::nearbyint(d(i, 0))); },
             match::f64, false, true},
            {"v_ldexp_f64 v[20:21], v[1:2], 5", [](in i) { return wide(std::ldexp(d(i, 0), 5)); },
             match::f64, false, true},
            {"v_sqrt_f64 v[20:21], |v[1:2]|",
             [](in i) { return wide(std::sqrt(std::fabs(d(i, 0)))); }, match::f64, false, true},
        },
        input_kind::doubles, 7004);
}

TEST(float32, transcendental) {
    run_vector_cases(
        {
            {"v_exp_f32 v20, v1",
             [](in i) { return transcend(i, [](double v) { return std::exp2(v); }); }, match::ulp},
            {"v_log_f32 v20, v1",
             [](in i) { return transcend(i, [](double v) { return std::log2(v); }); }, match::ulp},
            {"v_rcp_f32 v20, v1", [](in i) { return transcend(i, [](double v) { return 1 / v; }); },
             match::ulp},
            {"v_rsq_f32 v20, v1",
             [](in i) { return transcend(i, [](double v) { return 1 / std::sqrt(v); }); },
             match::ulp},
            {"v_sqrt_f32 v20, v1",
             [](in i) { return transcend(i, [](double v) { return std::sqrt(v); }); }, match::ulp},
            {"v_sin_f32 v20, v1",
             [](in i) {
                 const double v = w(x(i, 0));
                 if (std::isinf(v)) return word(NAN);
                 return word(static_cast<float>(std::sin((v - std::floor(v)) * 2 * M_PI)));
             },
             match::ulp},
            {"v_cos_f32 v20, v1",
             [](in i) {
                 const double v = w(x(i, 0));
                 if (std::isinf(v)) return word(NAN);
                 return word(static_cast<float>(std::cos((v - std::floor(v)) * 2 * M_PI)));
             },
             match::ulp},
        },
        input_kind::floats, 7005);
}

/// Every f32 exponent, so that the range reduction of exp and log is seen at both ends.
TEST(float32, exponential_over_its_range) {
    run_vector_cases(
        {
            {"v_bfe_i32 v7, v1, 0, 24\n v_cvt_f32_i32 v7, v7\n v_mul_f32 v7, 0x37800000, v7\n "
             "v_exp_f32 v20, v7",
             [](in i) {
                 const float v = static_cast<float>(static_cast<i32>(i.v[0] << 8) >> 8) * 0x1p-16f;
                 return word(flushed(static_cast<float>(std::exp2(w(v)))));
             },
             match::ulp},
            {"v_and_b32 v7, 0x7fffffff, v1\n v_log_f32 v20, v7",
             [](in i) {
                 const float v = flushed(f32(i.v[0] & 0x7fffffff));
                 return word(static_cast<float>(std::log2(w(v))));
             },
             match::ulp},
        },
        input_kind::bits, 7006);
}

} // namespace
} // namespace instructions
