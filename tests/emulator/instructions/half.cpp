// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// f16 arithmetic, packed and mixed precision, dot products.
#include "bench.hpp"

namespace instructions {
namespace {

using in = const lane_input&;
double h(u32 word_bits, unsigned shift = 0) {
    return static_cast<double>(from_half(word_bits >> shift & 0xffff));
}
double w(float v) {
    return static_cast<double>(v);
}
lane_output low(in i, double x) {
    return low_half(i, round_to_half(x));
}
lane_output both(double x, double y) {
    return word(round_to_half(x) | static_cast<u32>(round_to_half(y)) << 16);
}
/// a * b + c of halves, exact: long double holds all of it.
double exact_fma(double a, double b, double c) {
    const long double sum =
        static_cast<long double>(a) * static_cast<long double>(b) + static_cast<long double>(c);
    // Towards the larger neighbour when the double lies on it by rounding alone.
    const double nearest = static_cast<double>(sum);
    if (static_cast<long double>(nearest) == sum || !std::isfinite(nearest)) return nearest;
    const double away =
        std::nextafter(nearest, static_cast<long double>(nearest) < sum ? INFINITY : -INFINITY);
    return std::bit_cast<u64>(nearest) & 1 ? nearest : away;
}
/// The sum of fma_mix over three halves, which is rounded to f32 first.
double mixed(in i) {
    return w(std::fma(static_cast<float>(h(i.v[0])), static_cast<float>(h(i.v[1])),
                      static_cast<float>(h(i.v[2]))));
}
double bf(u32 word_bits, unsigned shift = 0) {
    return static_cast<double>(f32((word_bits >> shift & 0xffff) << 16));
}

TEST(half, arithmetic) {
    run_vector_cases(
        {
            {"v_add_f16 v20, v1, v2", [](in i) { return low(i, h(i.v[0]) + h(i.v[1])); },
             match::f16},
            {"v_sub_f16_e64 v20, v1, |v2|",
             [](in i) { return low(i, h(i.v[0]) - std::fabs(h(i.v[1]))); }, match::f16},
            {"v_mul_f16 v20, v1, v2", [](in i) { return low(i, h(i.v[0]) * h(i.v[1])); },
             match::f16},
            {"v_add_f16 v20, 2.0, v2", [](in i) { return low(i, 2.0 + h(i.v[1])); }, match::f16},
            {"v_mul_f16 v20, 0x3555, v2", [](in i) { return low(i, h(0x3555) * h(i.v[1])); },
             match::f16},
            {"v_fma_f16 v20, v1, v2, v3",
             [](in i) { return low(i, exact_fma(h(i.v[0]), h(i.v[1]), h(i.v[2]))); }, match::f16},
            {"v_fma_f16 v20, v1, v2, v3 op_sel:[1,0,1,0]",
             [](in i) { return low(i, exact_fma(h(i.v[0], 16), h(i.v[1]), h(i.v[2], 16))); },
             match::f16},
            {"v_fmac_f16 v20, v1, v2",
             [](in i) { return low(i, exact_fma(h(i.v[0]), h(i.v[1]), h(i.old[0]))); }, match::f16},
            {"v_floor_f16 v20, v1", [](in i) { return low(i, std::floor(h(i.v[0]))); }, match::f16},
            {"v_rndne_f16 v20, v1", [](in i) { return low(i, std::nearbyint(h(i.v[0]))); },
             match::f16},
            {"v_exp_f16 v20, v1", [](in i) { return low(i, std::exp2(h(i.v[0]))); },
             match::ulp_f16},
            {"v_log_f16 v20, v1", [](in i) { return low(i, std::log2(h(i.v[0]))); },
             match::ulp_f16},
            {"v_rcp_f16 v20, v1", [](in i) { return low(i, 1 / h(i.v[0])); }, match::ulp_f16},
            {"v_rsq_f16 v20, v1", [](in i) { return low(i, 1 / std::sqrt(h(i.v[0]))); },
             match::ulp_f16},
            {"v_sqrt_f16 v20, v1", [](in i) { return low(i, std::sqrt(h(i.v[0]))); },
             match::ulp_f16},
            {"v_pack_b32_f16 v20, v1, v2",
             [](in i) {
                 return word((i.v[0] & 0xffff) | i.v[1] << 16);
             }},
        },
        input_kind::halves, 8001);
}

TEST(half, packed) {
    run_vector_cases(
        {
            {"v_pk_add_f16 v20, v1, v2",
             [](in i) { return both(h(i.v[0]) + h(i.v[1]), h(i.v[0], 16) + h(i.v[1], 16)); },
             match::packed_f16},
            {"v_pk_mul_f16 v20, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]",
             [](in i) { return both(h(i.v[0], 16) * h(i.v[1]), h(i.v[0]) * h(i.v[1], 16)); },
             match::packed_f16},
            {"v_pk_mul_f16 v20, v1, 2.0 op_sel_hi:[1,0]",
             [](in i) { return both(h(i.v[0]) * 2, h(i.v[0], 16) * 2); }, match::packed_f16},
            {"v_pk_fma_f16 v20, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,0,1]",
             [](in i) {
                 return both(exact_fma(-h(i.v[0]), h(i.v[1]), h(i.v[2])),
                             exact_fma(h(i.v[0], 16), h(i.v[1], 16), -h(i.v[2], 16)));
             },
             match::packed_f16},
            {"v_pk_max_num_f16 v20, v1, v2",
             [](in i) {
                 const auto m = [](double a, double b) {
                     if (a != a) return b;
                     if (b != b) return a;
                     return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
                 };
                 return both(m(h(i.v[0]), h(i.v[1])), m(h(i.v[0], 16), h(i.v[1], 16)));
             },
             match::packed_f16},
        },
        input_kind::halves, 8002);
}

TEST(half, mixed_precision) {
    run_vector_cases(
        {
            {"v_fma_mix_f32 v20, v1, v2, v3 op_sel:[0,1,0] op_sel_hi:[1,1,0]",
             [](in i) {
                 return word(
                     static_cast<float>(std::fma(h(i.v[0]), h(i.v[1], 16), w(f32(i.v[2])))));
             },
             match::ulp},
            {"v_fma_mix_f32 v20, -v1, |v2|, 1.0 op_sel_hi:[1,0,0]",
             [](in i) {
                 return word(
                     std::fma(static_cast<float>(-h(i.v[0])), std::fabs(f32(i.v[1])), 1.0f));
             },
             match::f32},
            {"v_fma_mixlo_f16 v20, v1, v2, v3 op_sel_hi:[1,1,1]",
             [](in i) { return low(i, mixed(i)); }, match::f16},
            {"v_fma_mixhi_f16 v20, v1, v2, v3 op_sel_hi:[1,1,1]",
             [](in i) {
                 return word((i.old[0] & 0xffff) | static_cast<u32>(round_to_half(mixed(i))) << 16);
             },
             match::packed_f16},
            // Of f32 operands the sum is rounded to f32, then to f16.
            {"v_fma_mixlo_f16 v20, v1, 1.0, v2 op_sel_hi:[0,0,0]",
             [](in i) { return low(i, static_cast<double>(f32(i.v[0]) + f32(i.v[1]))); },
             match::f16},
            {"v_mov_b32 v1, 0x3f801000\n v_mov_b32 v3, 0x2f800000\n"
             "v_fma_mixlo_f16 v20, v1, 1.0, v3 "
             "op_sel_hi:[0,0,0]",
             [](in i) { return low_half(i, 0x3c00); }, match::f16},
            {"v_dot2_f32_f16 v20, v1, v2, v3",
             [](in i) {
                 const float first = std::fma(static_cast<float>(h(i.v[0])),
                                              static_cast<float>(h(i.v[1])), f32(i.v[2]));
                 return word(std::fma(static_cast<float>(h(i.v[0], 16)),
                                      static_cast<float>(h(i.v[1], 16)), first));
             },
             match::f32},
            {"v_dot2_f32_bf16 v20, v1, v2, v3",
             [](in i) {
                 const float first = std::fma(static_cast<float>(bf(i.v[0])),
                                              static_cast<float>(bf(i.v[1])), f32(i.v[2]));
                 return word(std::fma(static_cast<float>(bf(i.v[0], 16)),
                                      static_cast<float>(bf(i.v[1], 16)), first));
             },
             match::f32},
        },
        input_kind::halves, 8003);
}

} // namespace
} // namespace instructions
