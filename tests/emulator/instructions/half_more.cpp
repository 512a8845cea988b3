// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// More f16 and f32 instructions: minimum and maximum of all kinds, dot products, conversions, cube
// maps, the transcendental unit's scalar forms.
#include "bench.hpp"
#include <algorithm>

namespace instructions {
namespace {

using in = const lane_input&;
double h(u32 word_bits, unsigned shift = 0) {
    return static_cast<double>(from_half(word_bits >> shift & 0xffff));
}
double x(in i, int n) {
    return static_cast<double>(f32(i.v[n]));
}
double num_min(double a, double b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
double num_max(double a, double b) {
    return -num_min(-a, -b);
}
double nan_min(double a, double b) {
    return a != a || b != b ? NAN : num_min(a, b);
}
double nan_max(double a, double b) {
    return a != a || b != b ? NAN : num_max(a, b);
}
double middle(double a, double b, double c) {
    if (a != a || b != b || c != c) return num_min(num_min(a, b), c);
    return num_max(num_min(a, b), num_min(num_max(a, b), c));
}
using two = double (*)(double, double);
struct named {
    const char* name;
    std::function<double(double, double, double)> value;
};
named three(const char* name, two first, two second) {
    return {name, [=](double a, double b, double c) {
                return second(first(a, b), c);
            }};
}

const std::vector<named> of_three = {
    three("min3_num", num_min, num_min),
    three("max3_num", num_max, num_max),
    three("minmax_num", num_min, num_max),
    three("maxmin_num", num_max, num_min),
    three("minimum3", nan_min, nan_min),
    three("maximum3", nan_max, nan_max),
    three("minimummaximum", nan_min, nan_max),
    three("maximumminimum", nan_max, nan_min),
    {"med3_num", middle},
};

TEST(half, minimum_and_maximum) {
    std::vector<vector_case> halves, floats;
    for (const named& n : of_three) {
        const std::string name = std::string("v_") + n.name;
        halves.push_back({name + "_f16 v20, v1, v2, v3",
                          [=](in i) {
                              return low_half(
                                  i, round_to_half(n.value(h(i.v[0]), h(i.v[1]), h(i.v[2]))));
                          },
                          match::f16});
        floats.push_back(
            {name + "_f32 v20, v1, v2, v3",
             [=](in i) { return word(static_cast<float>(n.value(x(i, 0), x(i, 1), x(i, 2)))); },
             match::f32});
    }
    const std::pair<const char*, two> pairs[] = {
        {"min_num", num_min}, {"max_num", num_max}, {"minimum", nan_min}, {"maximum", nan_max}};
    for (const auto& [name, function] : pairs) {
        halves.push_back(
            {std::string("v_") + name + "_f16 v20, v1, v2",
             [f = function](in i) { return low_half(i, round_to_half(f(h(i.v[0]), h(i.v[1])))); },
             match::f16});
        halves.push_back({std::string("v_pk_") + name + "_f16 v20, v1, v2",
                          [f = function](in i) {
                              return word(
                                  round_to_half(f(h(i.v[0]), h(i.v[1]))) |
                                  static_cast<u32>(round_to_half(f(h(i.v[0], 16), h(i.v[1], 16))))
                                      << 16);
                          },
                          match::packed_f16});
    }
    run_vector_cases(halves, input_kind::halves, 27001);
    run_vector_cases(floats, input_kind::floats, 27002);
}

TEST(half, more) {
    std::vector<vector_case> cases;
    const auto one = [&](const std::string& text, auto value, match how = match::f16) {
        cases.push_back(
            {text, [=](in i) { return low_half(i, round_to_half(value(h(i.v[0]), h(i.v[1])))); },
             how});
    };
    one("v_subrev_f16 v20, v1, v2", [](double a, double b) { return b - a; });
    one("v_fmamk_f16 v20, v1, 0x4000, v2", [](double a, double b) { return std::fma(a, 2, b); });
    one("v_fmaak_f16 v20, v1, v2, 0x0000", [](double a, double b) { return a * b + 0.0; });
    one("v_ceil_f16 v20, v1", [](double a, double) { return std::ceil(a); });
    one("v_trunc_f16 v20, v1", [](double a, double) { return std::trunc(a); });
    one("v_fract_f16 v20, v1", [](double a, double) {
        return std::isinf(a) ? NAN : std::min(a - std::floor(a), 0.99951171875);
    });
    one("v_ldexp_f16 v20, v1, 3", [](double a, double) { return std::ldexp(a, 3); });
    one("v_frexp_mant_f16 v20, v1", [](double a, double) {
        int e = 0;
        return std::isfinite(a) ? std::frexp(a, &e) : a;
    });
    one(
        "v_sin_f16 v20, v1",
        [](double a, double) {
            return std::isinf(a) ? NAN : std::sin((a - std::floor(a)) * 2 * M_PI);
        },
        match::ulp_f16);
    one(
        "v_cos_f16 v20, v1",
        [](double a, double) {
            return std::isinf(a) ? NAN : std::cos((a - std::floor(a)) * 2 * M_PI);
        },
        match::ulp_f16);
    cases.push_back({"v_div_fixup_f16 v20, 1.0, 0, v1",
                     [](in i) {
                         const double n = h(i.v[0]);
                         const double r = n != n ? n : n == 0 ? NAN : std::copysign(INFINITY, n);
                         return low_half(i, round_to_half(r));
                     },
                     match::f16});
    cases.push_back({"v_frexp_exp_i16_f16 v20, v1", [](in i) {
                         int e = 0;
                         if (std::isfinite(h(i.v[0]))) std::frexp(h(i.v[0]), &e);
                         return low_half(i, static_cast<u16>(e));
                     }});
    cases.push_back({"v_cvt_u16_f16 v20, v1", [](in i) {
                         const double v = h(i.v[0]);
                         const double r = v != v ? 0 : std::clamp(std::trunc(v), 0.0, 65535.0);
                         return low_half(i, static_cast<u16>(r));
                     }});
    cases.push_back({"v_pk_fmac_f16 v20, v1, v2",
                     [](in i) {
                         const auto f = [&](unsigned s) {
                             return static_cast<u32>(round_to_half(
                                 std::fma(h(i.v[0], s), h(i.v[1], s), h(i.old[0], s))));
                         };
                         return word(f(0) | f(16) << 16);
                     },
                     match::packed_f16});
    cases.push_back({"v_dot2_f16_f16 v20, v1, v2, v3",
                     [](in i) {
                         const u32 first = round_to_half(std::fma(h(i.v[0]), h(i.v[1]), h(i.v[2])));
                         return low_half(
                             i, round_to_half(std::fma(h(i.v[0], 16), h(i.v[1], 16), h(first))));
                     },
                     match::f16});
    const auto snorm = [](double v) {
        return static_cast<u32>(static_cast<u16>(
            static_cast<i16>(std::nearbyint((v != v ? 0 : std::clamp(v, -1.0, 1.0)) * 32767))));
    };
    const auto unorm = [](double v) {
        return static_cast<u32>(std::nearbyint((v != v ? 0 : std::clamp(v, 0.0, 1.0)) * 65535));
    };
    cases.push_back({"v_cvt_norm_i16_f16 v20, v1", [=](in i) {
                         return low_half(i, static_cast<u16>(snorm(h(i.v[0]))));
                     }});
    cases.push_back({"v_cvt_norm_u16_f16 v20, v1", [=](in i) {
                         return low_half(i, static_cast<u16>(unorm(h(i.v[0]))));
                     }});
    cases.push_back({"v_cvt_pk_norm_i16_f16 v20, v1, v2", [=](in i) {
                         return word(snorm(h(i.v[0])) | snorm(h(i.v[1])) << 16);
                     }});
    cases.push_back({"v_cvt_pk_norm_u16_f16 v20, v1, v2", [=](in i) {
                         return word(unorm(h(i.v[0])) | unorm(h(i.v[1])) << 16);
                     }});
    cases.push_back({"v_cmp_class_f16 s20, v1, 0x3",
                     [](in i) { return truth(std::isnan(h(i.v[0]))); }, match::bits, true});
    cases.push_back({"v_cmpx_class_f16 v1, 0x3\n s_mov_b32 s20, exec_lo\n s_mov_b32 exec_lo, -1",
                     [](in i) { return truth(std::isnan(h(i.v[0]))); }, match::bits, true});
    run_vector_cases(cases, input_kind::halves, 27003);
}

double e4m3(u32 c) {
    const u32 exponent = c >> 3 & 15, fraction = c & 7;
    if ((c & 127) == 127) return NAN;
    const double m = exponent ? std::ldexp(8 + fraction, static_cast<int>(exponent) - 10)
                              : std::ldexp(fraction, -9);
    return c & 128 ? -m : m;
}
double e5m2(u32 c) {
    return h(c << 8);
}

TEST(convert, more) {
    std::vector<vector_case> cases;
    const std::pair<const char*, double (*)(u32)> formats[] = {{"fp8", e4m3}, {"bf8", e5m2}};
    for (const auto& [a_name, a_value] : formats)
        for (const auto& [b_name, b_value] : formats)
            cases.push_back(
                {std::string("v_dot4_f32_") + a_name + "_" + b_name + " v20, v1, v2, v3",
                 [a = a_value, b = b_value](in i) {
                     float sum = f32(i.v[2]);
                     for (unsigned s = 0; s < 32; s += 8)
                         sum = std::fma(static_cast<float>(a(i.v[0] >> s & 255)),
                                        static_cast<float>(b(i.v[1] >> s & 255)), sum);
                     return word(sum);
                 },
                 match::f32});
    const auto bf = [](u32 bits16) {
        return f32(bits16 << 16);
    };
    const auto to_bf = [](float v) -> u32 {
        const u32 b = bits(v);
        return v != v ? 0x7fc0 : (b + 0x7fff + (b >> 16 & 1)) >> 16;
    };
    cases.push_back(
        {"v_dot2_bf16_bf16 v20, v1, v2, v3\n v_lshlrev_b32 v20, 16, v20",
         [=](in i) {
             const u32 first =
                 to_bf(std::fma(bf(i.v[0] & 0xffff), bf(i.v[1] & 0xffff), bf(i.v[2] & 0xffff)));
             return word(to_bf(std::fma(bf(i.v[0] >> 16), bf(i.v[1] >> 16), bf(first))) << 16);
         },
         match::f32});
    cases.push_back({"v_cvt_pk_norm_u16_f32 v20, v1, v2", [](in i) {
                         const auto unorm = [](double v) {
                             return static_cast<u32>(
                                 std::nearbyint((v != v ? 0 : std::clamp(v, 0.0, 1.0)) * 65535));
                         };
                         return word(unorm(x(i, 0)) | unorm(x(i, 1)) << 16);
                     }});
    run_vector_cases(cases, input_kind::bits, 27004);
}

/// The largest coordinate's axis: 0, 1 or 2, later ones first among equals.
int major(double a, double b, double c) {
    if (std::fabs(c) >= std::fabs(a) && std::fabs(c) >= std::fabs(b)) return 2;
    return std::fabs(b) >= std::fabs(a) ? 1 : 0;
}

TEST(float32, more) {
    std::vector<vector_case> cases;
    const auto add = [&](const std::string& name, auto value) {
        cases.push_back(
            {name + " v20, v1, v2, v3",
             [=](in i) { return word(static_cast<float>(value(x(i, 0), x(i, 1), x(i, 2)))); },
             match::f32});
    };
    add("v_cubeid_f32", [](double a, double b, double c) {
        const double v[] = {a, b, c};
        const int m = major(a, b, c);
        return 2 * m + (v[m] < 0 ? 1 : 0);
    });
    add("v_cubema_f32", [](double a, double b, double c) {
        const double v[] = {a, b, c};
        return 2 * v[major(a, b, c)];
    });
    add("v_cubesc_f32", [](double a, double b, double c) {
        const int m = major(a, b, c);
        return m == 2 ? (c < 0 ? -a : a) : m == 1 ? a : a < 0 ? c : -c;
    });
    add("v_cubetc_f32",
        [](double a, double b, double c) { return major(a, b, c) == 1 ? (b < 0 ? -c : c) : -b; });
    constexpr double lowest = -0x1.fffffep127;
    add("v_mullit_f32", [](double a, double b, double c) {
        const bool dark = !(b > lowest) || !(c > 0);
        return dark ? lowest : static_cast<double>(static_cast<float>(a) * static_cast<float>(b));
    });
    add("v_fma_dx9_zero_f32", [](double a, double b, double c) {
        return a == 0 || b == 0
                   ? c
                   : static_cast<double>(std::fma(static_cast<float>(a), static_cast<float>(b),
                                                  static_cast<float>(c)));
    });
    cases.push_back({"v_mul_dx9_zero_f32 v20, v1, v2",
                     [](in i) {
                         const float a = f32(i.v[0]), b = f32(i.v[1]);
                         return word(a == 0 || b == 0 ? 0.0f : a * b);
                     },
                     match::f32});
    cases.push_back({"v_rcp_iflag_f32 v20, v1",
                     [](in i) {
                         const float v = f32(i.v[0]);
                         const float in_range =
                             std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v;
                         const float r = 1 / in_range;
                         return word(std::fabs(r) < 0x1p-126f ? std::copysign(0.0f, r) : r);
                     },
                     match::ulp});
    cases.push_back({"v_cmpx_class_f32 v1, 0x204\n s_mov_b32 s20, exec_lo\n s_mov_b32 exec_lo, -1",
                     [](in i) { return truth(std::isinf(f32(i.v[0]))); }, match::bits, true});
    run_vector_cases(cases, input_kind::floats, 27005);
    cases.clear();
    for (const std::string name : {"v_cmp_class_f64 s20, ", "v_cmpx_class_f64 "})
        cases.push_back(
            {name + "v[1:2], 0x204" +
                 (name[5] == 'x' ? "\n s_mov_b32 s20, exec_lo\n s_mov_b32 exec_lo, -1" : ""),
             [](in i) { return truth(std::isinf(f64(i.v[0], i.v[1]))); }, match::bits, true});
    run_vector_cases(cases, input_kind::doubles, 27006);
}

/// The scalar forms give lane 0's value of the vector forms.
TEST(float32, scalar_transcendental) {
    std::vector<vector_case> cases;
    const std::pair<const char*, double (*)(double)> functions[] = {{"exp",
                                                                     [](double v) {
                                                                         return std::exp2(v);
                                                                     }},
                                                                    {"log",
                                                                     [](double v) {
                                                                         return std::log2(v);
                                                                     }},
                                                                    {"rcp",
                                                                     [](double v) {
                                                                         return 1 / v;
                                                                     }},
                                                                    {"rsq",
                                                                     [](double v) {
                                                                         return 1 / std::sqrt(v);
                                                                     }},
                                                                    {"sqrt", [](double v) {
                                                                         return std::sqrt(v);
                                                                     }}};
    for (const auto& [name, function] : functions) {
        cases.push_back({"s_mov_b32 s8, 0x40200000\n v_s_" + std::string(name) +
                             "_f32 s9, s8\n v_mov_b32 v20, s9",
                         [f = function](in) { return word(static_cast<float>(f(2.5))); },
                         match::ulp});
        cases.push_back(
            {"s_movk_i32 s8, 0x4100\n v_s_" + std::string(name) + "_f16 s9, s8\n v_mov_b32 v20, s9",
             [f = function](in) { return word(u32{round_to_half(f(2.5))}); }, match::ulp_f16});
    }
    run_vector_cases(cases, input_kind::floats, 27007);
}

} // namespace
} // namespace instructions
