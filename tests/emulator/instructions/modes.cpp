// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// MODE: rounding and denormals of each float type, output modifiers, and waves of different modes.
#include "bench.hpp"
#include <cfenv>

namespace instructions {
namespace {

using in = const lane_input&;

/// Sets bits 7:0 of MODE: rounding of f32 and of f16/f64, then denormals of both.
std::string mode(unsigned round32, unsigned round16_64, unsigned denormal32, unsigned denormal16) {
    return "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), " +
           std::to_string(round32 | round16_64 << 2 | denormal32 << 4 | denormal16 << 6) + "\n ";
}
const std::string usual = "\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0";
constexpr int host_rounding[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/// The exact value, as far as long double holds it, rounded to double or float the given way.
template<class T>
T rounded(long double exact, unsigned how) {
    const int before = std::fegetround();
    std::fesetround(host_rounding[how]);
    volatile long double x = exact;
    const T r = static_cast<T>(x);
    std::fesetround(before);
    return r;
}
/// A sum whose last step rounds the given way.
double rounded_sum(double a, double b, unsigned how) {
    const int before = std::fegetround();
    std::fesetround(host_rounding[how]);
    volatile double x = a, y = b;
    volatile double r = x + y;
    std::fesetround(before);
    return r;
}
/// A half from a value, by its neighbours.
u32 rounded_half(double v, unsigned how) {
    if (how == 0 || v != v || std::isinf(v)) return round_to_half(v);
    u32 code = round_to_half(v);
    const double got = static_cast<double>(from_half(code));
    const bool negative = std::signbit(v);
    const bool wants_less = how == 3 ? !negative : how == 2,
               wants_more = how == 3 ? negative : how == 1;
    // Codes grow with the size of the value.
    if (wants_less && got > v) return negative ? code + 1 : code - 1;
    if (wants_more && got < v) return negative ? code - 1 : code + 1;
    return code;
}
float flushed(float v) {
    return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v;
}
double flushed(double v) {
    return std::fabs(v) < 0x1p-1022 ? std::copysign(0.0, v) : v;
}
u32 flushed_half(u32 x) {
    return x & 0x7c00 ? x : x & 0x8000;
}
float f(in i, int n) {
    return f32(i.v[n]);
}
long double wide_f(in i, int n) {
    return static_cast<long double>(f32(i.v[n]));
}

TEST(modes, rounding_of_f32) {
    std::vector<vector_case> cases;
    for (unsigned how = 0; how < 4; ++how) {
        cases.push_back(
            {mode(how, 0, 3, 3) + "v_mul_f32 v20, v1, v2" + usual,
             [=](in i) { return word(rounded<float>(wide_f(i, 0) * wide_f(i, 1), how)); },
             match::f32});
        cases.push_back({mode(how, 3, 3, 3) + "v_cvt_f32_i32 v20, v1" + usual,
                         [=](in i) { return word(rounded<float>(static_cast<i32>(i.v[0]), how)); },
                         match::f32});
        // Ties to even whatever the mode says.
        cases.push_back({mode(how, how, 3, 3) + "v_rndne_f32 v20, v1" + usual,
                         [](in i) { return word(std::nearbyint(f(i, 0))); }, match::f32});
    }
    run_vector_cases(cases, input_kind::floats, 31001);
}

TEST(modes, rounding_of_f64_and_f16) {
    std::vector<vector_case> cases;
    for (unsigned how = 0; how < 4; ++how) {
        cases.push_back({mode(3, how, 3, 3) +
                             "v_cvt_f64_f32 v[7:8], v1\n v_cvt_f64_f32 v[11:12], v2\n"
                             " v_add_f64 v[20:21], v[7:8], v[11:12]" +
                             usual,
                         [=](in i) {
                             return wide(rounded_sum(static_cast<double>(f(i, 0)),
                                                     static_cast<double>(f(i, 1)), how));
                         },
                         match::f64, false, true});
        cases.push_back({mode(1, how, 3, 3) + "v_cvt_f16_f32 v20, v1" + usual,
                         [=](in i) {
                             return low_half(i, static_cast<u16>(rounded_half(
                                                    static_cast<double>(f(i, 0)), how)));
                         },
                         match::f16});
    }
    run_vector_cases(cases, input_kind::floats, 31002);
    cases.clear();
    const auto h = [](u32 x) {
        return static_cast<double>(from_half(x & 0xffff));
    };
    for (unsigned how = 0; how < 4; ++how) {
        cases.push_back({mode(0, how, 3, 3) + "v_mul_f16 v20, v1, v2" + usual,
                         [=](in i) {
                             return low_half(
                                 i, static_cast<u16>(rounded_half(h(i.v[0]) * h(i.v[1]), how)));
                         },
                         match::f16});
        cases.push_back(
            {mode(0, how, 3, 3) + "v_pk_add_f16 v20, v1, v2" + usual,
             [=](in i) {
                 return word(rounded_half(rounded_sum(h(i.v[0]), h(i.v[1]), how), how) |
                             rounded_half(rounded_sum(h(i.v[0] >> 16), h(i.v[1] >> 16), how), how)
                                 << 16);
             },
             match::packed_f16});
    }
    run_vector_cases(cases, input_kind::halves, 31003);
}

/// Bit 0 keeps denormal operands, bit 1 denormal results.
TEST(modes, denormals) {
    std::vector<vector_case> floats, halves, doubles;
    const auto h = [](u32 x) {
        return static_cast<double>(from_half(x & 0xffff));
    };
    for (unsigned keep = 0; keep < 4; ++keep) {
        const auto operand = [=](auto v) {
            return keep & 1 ? v : flushed(v);
        };
        const auto result = [=](auto v) {
            return keep & 2 ? v : flushed(v);
        };
        const std::string small = "v_mul_f32 v7, 0x20800000, v1\n v_mul_f32 v8, 0x20000000, v2\n ";
        const auto shrunk = [](float v, float by) {
            return v * by;
        };
        floats.push_back({small + mode(0, 0, keep, 3) + "v_add_f32 v20, v7, v8" + usual,
                          [=](in i) {
                              const float a = operand(shrunk(f(i, 0), 0x1p-62f)),
                                          b = operand(shrunk(f(i, 1), 0x1p-63f));
                              return word(result(a + b));
                          },
                          match::f32});
        floats.push_back({mode(0, 0, keep, 0) + "v_mul_f32 v20, v1, v2" + usual,
                          [=](in i) { return word(result(operand(f(i, 0)) * operand(f(i, 1)))); },
                          match::f32});
        const auto half_operand = [=](u32 x) {
            return h(keep & 1 ? x & 0xffff : flushed_half(x & 0xffff));
        };
        const auto half_result = [=](double v) {
            const u32 x = round_to_half(v);
            return keep & 2 ? x : flushed_half(x);
        };
        halves.push_back({mode(0, 0, 0, keep) + "v_mul_f16 v20, v1, v2" + usual,
                          [=](in i) {
                              return low_half(i, static_cast<u16>(half_result(
                                                     half_operand(i.v[0]) * half_operand(i.v[1]))));
                          },
                          match::f16});
        halves.push_back(
            {mode(0, 0, 0, keep) + "v_pk_add_f16 v20, v1, v2" + usual,
             [=](in i) {
                 return word(half_result(half_operand(i.v[0]) + half_operand(i.v[1])) |
                             half_result(half_operand(i.v[0] >> 16) + half_operand(i.v[1] >> 16))
                                 << 16);
             },
             match::packed_f16});
        doubles.push_back({mode(0, 0, 0, keep) + "v_mul_f64 v[20:21], v[1:2], 0.5" + usual,
                           [=](in i) { return wide(result(operand(f64(i.v[0], i.v[1])) * 0.5)); },
                           match::f64, false, true});
    }
    run_vector_cases(floats, input_kind::floats, 31004);
    run_vector_cases(halves, input_kind::halves, 31005);
    run_vector_cases(doubles, input_kind::doubles, 31006);
}

/// Output modifiers act where denormal results are flushed, and make -0 to +0.
TEST(modes, output_modifiers) {
    const auto scaled = [](float product, float by) {
        const float r = flushed(flushed(product) * by);
        return word(r == 0 ? 0.0f : r);
    };
    run_vector_cases(
        {
            {mode(0, 0, 1, 3) + "v_mul_f32_e64 v20, v1, v2 mul:4" + usual,
             [=](in i) { return scaled(f(i, 0) * f(i, 1), 4); }, match::f32},
            {mode(0, 0, 1, 3) + "v_mul_f32_e64 v20, v1, v2 mul:2" + usual,
             [=](in i) { return scaled(f(i, 0) * f(i, 1), 2); }, match::f32},
            {mode(0, 0, 1, 3) + "v_mul_f32_e64 v20, v1, v2 div:2" + usual,
             [=](in i) { return scaled(f(i, 0) * f(i, 1), 0.5f); }, match::f32},
            {mode(0, 0, 1, 3) + "v_add_f32_e64 v20, v1, v2 clamp div:2" + usual,
             [=](in i) {
                 const float r = flushed(f(i, 0) + f(i, 1)) * 0.5f;
                 return word(r >= 1 ? 1.0f : r > 0 ? flushed(r) : 0.0f);
             },
             match::f32},
        },
        input_kind::floats, 31007);
}

/// The mode belongs to the wave: two waves that take turns keep their own.
TEST(modes, of_each_wave) {
    workbench bench;
    bench.add("k", "  s_load_b64 s[2:3], s[0:1], 0x0\n  v_lshrrev_b32 v1, 5, v0\n"
                   "  v_readfirstlane_b32 s4, v1\n  s_cmp_eq_u32 s4, 0\n  s_cbranch_scc1 .Lmeet\n"
                   "  s_round_mode 0x5\n.Lmeet:\n  s_barrier_signal -1\n  s_barrier_wait 0xffff\n"
                   "  v_mov_b32 v2, 0x3f800000\n  v_add_f32 v2, 0x30000000, v2\n"
                   "  v_lshlrev_b32 v3, 2, v0\n  s_wait_kmcnt 0x0\n"
                   "  global_store_b32 v3, v2, s[2:3]\n");
    ASSERT_TRUE(bench.build());
    const u64 to = bench.device().allocate(256);
    const auto result = bench.run("k", 1, 64, addresses({to, 0}));
    ASSERT_TRUE(result.faults.empty()) << describe(result.faults);
    const auto out = bench.download<u32>(to, 64);
    for (u32 t = 0; t < 64; ++t)
        EXPECT_EQ(out[t], t < 32 ? 0x3f800000u : 0x3f800001u);
}

} // namespace
} // namespace instructions
