// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// 16-bit arithmetic: f16 and integers. The other half of the destination is kept.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <limits>

namespace r9v_emulator {
namespace {

template<class F>
half through_float(half a, half b, F f) {
    // One f32 operation on halves followed by one rounding is the rounded half operation.
    return static_cast<half>(f(static_cast<float>(a), static_cast<float>(b)));
}
/// The same for two in a row, of which none but the last rounds.
template<class F, class G>
half through_float(half a, half b, half c, F f, G g) {
    return static_cast<half>(
        g(f(static_cast<float>(a), static_cast<float>(b)), static_cast<float>(c)));
}
half round_half(half a, float (*f)(float)) {
    return static_cast<half>(f(static_cast<float>(a)));
}

float nearest_even(float x) {
    return __builtin_roundevenf(x);
}

u16 clamp_unsigned(i32 x) {
    return static_cast<u16>(std::clamp(x, 0, 0xffff));
}
i16 clamp_signed(i32 x) {
    return static_cast<i16>(std::clamp(x, -0x8000, 0x7fff));
}
bool clamps(const op& o) {
    return (o.flags & flag_clamp) != 0;
}

i16 frexp_exponent(half x) {
    const float f = static_cast<float>(x);
    if (f == 0 || !std::isfinite(f)) return 0;
    int e = 0;
    std::frexp(f, &e);
    return static_cast<i16>(e);
}
half frexp_mantissa(half x) {
    const float f = static_cast<float>(x);
    int e = 0;
    return std::isfinite(f) ? static_cast<half>(std::frexp(f, &e)) : x;
}
half divide_fixup(half q, half d, half n) {
    return static_cast<half>(
        div_fixup(static_cast<float>(q), static_cast<float>(d), static_cast<float>(n)));
}

constexpr entry_options accumulate{.reads_dst = true};

constexpr instruction half_table[] = {
    vector_op(
        "v_add_f16",
        [](half a, half b) { return through_float(a, b, [](float x, float y) { return x + y; }); }),
    vector_op(
        "v_sub_f16",
        [](half a, half b) { return through_float(a, b, [](float x, float y) { return x - y; }); }),
    vector_op(
        "v_subrev_f16",
        [](half a, half b) { return through_float(a, b, [](float x, float y) { return y - x; }); }),
    vector_op(
        "v_mul_f16",
        [](half a, half b) { return through_float(a, b, [](float x, float y) { return x * y; }); }),
    vector_op("v_fma_f16", [](half a, half b, half c) { return fma_half(a, b, c); }),
    vector_op(
        "v_fmac_f16", [](half a, half b, half c) { return fma_half(a, b, c); }, accumulate),
    vector_op("v_fmamk_f16", [](half a, half b, half c) { return fma_half(a, b, c); }),
    vector_op("v_fmaak_f16", [](half a, half b, half c) { return fma_half(a, b, c); }),
    vector_op("v_min_num_f16",
              [](half a, half b) {
                  return through_float(a, b, [](float x, float y) { return min_num(x, y); });
              }),
    vector_op("v_max_num_f16",
              [](half a, half b) {
                  return through_float(a, b, [](float x, float y) { return max_num(x, y); });
              }),
    vector_op("v_minimum_f16",
              [](half a, half b) {
                  return through_float(a, b, [](float x, float y) { return minimum(x, y); });
              }),
    vector_op("v_maximum_f16",
              [](half a, half b) {
                  return through_float(a, b, [](float x, float y) { return maximum(x, y); });
              }),
    vector_op("v_min3_num_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, min_num<float>, min_num<float>);
              }),
    vector_op("v_max3_num_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, max_num<float>, max_num<float>);
              }),
    vector_op("v_med3_num_f16",
              [](half a, half b, half c) -> half {
                  return static_cast<half>(median_num(static_cast<float>(a), static_cast<float>(b),
                                                      static_cast<float>(c)));
              }),
    vector_op("v_minmax_num_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, min_num<float>, max_num<float>);
              }),
    vector_op("v_maxmin_num_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, max_num<float>, min_num<float>);
              }),
    vector_op("v_minimum3_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, minimum<float>, minimum<float>);
              }),
    vector_op("v_maximum3_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, maximum<float>, maximum<float>);
              }),
    vector_op("v_minimummaximum_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, minimum<float>, maximum<float>);
              }),
    vector_op("v_maximumminimum_f16",
              [](half a, half b, half c) -> half {
                  return through_float(a, b, c, maximum<float>, minimum<float>);
              }),
    vector_op("v_floor_f16", [](half a) { return round_half(a, std::floor); }),
    vector_op("v_ceil_f16", [](half a) { return round_half(a, std::ceil); }),
    vector_op("v_trunc_f16", [](half a) { return round_half(a, std::trunc); }),
    vector_op("v_rndne_f16", [](half a) { return round_half(a, nearest_even); }),
    vector_op("v_fract_f16",
              [](half a) -> half {
                  const float x = static_cast<float>(a), f = x - std::floor(x);
                  return static_cast<half>(f < 0.99951171875f ? f : f == f ? 0.99951171875f : f);
              }),
    vector_op("v_ldexp_f16",
              [](half a, i16 b) -> half {
                  const int n = std::clamp<int>(b, -100, 100);
                  return static_cast<half>(std::ldexp(static_cast<float>(a), n));
              }),
    vector_op("v_frexp_exp_i16_f16", [](half a) { return frexp_exponent(a); }),
    vector_op("v_frexp_mant_f16", [](half a) { return frexp_mantissa(a); }),
    vector_op("v_div_fixup_f16", [](half a, half b, half c) { return divide_fixup(a, b, c); }),
};

constexpr instruction short_table[] = {
    vector_op("v_add_nc_u16",
              [](const op& o, u16 a, u16 b) -> u16 {
                  return clamps(o) ? clamp_unsigned(a + b) : static_cast<u16>(a + b);
              }),
    vector_op("v_sub_nc_u16",
              [](const op& o, u16 a, u16 b) -> u16 {
                  return clamps(o) ? clamp_unsigned(a - b) : static_cast<u16>(a - b);
              }),
    vector_op("v_add_nc_i16",
              [](const op& o, i16 a, i16 b) -> i16 {
                  return clamps(o) ? clamp_signed(a + b) : static_cast<i16>(a + b);
              }),
    vector_op("v_sub_nc_i16",
              [](const op& o, i16 a, i16 b) -> i16 {
                  return clamps(o) ? clamp_signed(a - b) : static_cast<i16>(a - b);
              }),
    vector_op("v_mul_lo_u16", [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }),
    vector_op("v_mad_u16",
              [](const op& o, u16 a, u16 b, u16 c) -> u16 {
                  const u32 r = u32{a} * b + c; // at most 2^32 - 2^16
                  return static_cast<u16>(clamps(o) ? std::min(r, 0xffffu) : r);
              }),
    vector_op("v_mad_i16",
              [](const op& o, i16 a, i16 b, i16 c) -> i16 {
                  const i32 r = i32{a} * b + c;
                  return clamps(o) ? clamp_signed(r) : static_cast<i16>(r);
              }),
    vector_op("v_lshlrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }),
    vector_op("v_lshrrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }),
    vector_op("v_ashrrev_i16", [](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }),
    vector_op("v_and_b16", [](u16 a, u16 b) { return static_cast<u16>(a & b); }),
    vector_op("v_or_b16", [](u16 a, u16 b) { return static_cast<u16>(a | b); }),
    vector_op("v_xor_b16", [](u16 a, u16 b) { return static_cast<u16>(a ^ b); }),
    vector_op("v_not_b16", [](u16 a) { return static_cast<u16>(~a); }),
    vector_op("v_mov_b16", [](u16 a) { return a; }),
    vector_op("v_min_u16", [](u16 a, u16 b) { return std::min(a, b); }),
    vector_op("v_max_u16", [](u16 a, u16 b) { return std::max(a, b); }),
    vector_op("v_min_i16", [](i16 a, i16 b) { return std::min(a, b); }),
    vector_op("v_max_i16", [](i16 a, i16 b) { return std::max(a, b); }),
    vector_op("v_min3_u16", [](u16 a, u16 b, u16 c) { return std::min(std::min(a, b), c); }),
    vector_op("v_max3_u16", [](u16 a, u16 b, u16 c) { return std::max(std::max(a, b), c); }),
    vector_op("v_med3_u16", [](u16 a, u16 b, u16 c) { return median(a, b, c); }),
    vector_op("v_min3_i16", [](i16 a, i16 b, i16 c) { return std::min(std::min(a, b), c); }),
    vector_op("v_max3_i16", [](i16 a, i16 b, i16 c) { return std::max(std::max(a, b), c); }),
    vector_op("v_med3_i16", [](i16 a, i16 b, i16 c) { return median(a, b, c); }),
    vector_op("v_cndmask_b16", [](half a, half b, bool c) { return c ? b : a; }),
    vector_op("v_pack_b32_f16",
              [](half a, half b) -> u32 {
                  return bits_as<u16>(a) | static_cast<u32>(bits_as<u16>(b)) << 16;
              },
              {.taints = rule::pack_halves}),
    vector_op("v_cvt_i32_i16", [](i16 a) { return i32{a}; }),
    vector_op("v_cvt_u32_u16", [](u16 a) { return u32{a}; }),
    vector_op("v_sat_pk_u8_i16",
              [](u32 a) -> u16 {
                  const auto clip = [](u32 x) {
                      return std::clamp(static_cast<int>(static_cast<i16>(x)), 0, 255);
                  };
                  return static_cast<u16>(clip(a & 0xffff) | clip(a >> 16) << 8);
              }),
};

} // namespace

instruction_table vector_half_table() {
    return half_table;
}
instruction_table vector_short_table() {
    return short_table;
}

} // namespace r9v_emulator
