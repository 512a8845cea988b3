// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// f32 and f64 arithmetic.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <iterator>

namespace r9v_emulator {
namespace {

float fma(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
double fma(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

/// 0 times anything is 0, as DX9 wants it.
float mul_dx9(float a, float b) {
    return a == 0 || b == 0 ? 0.0f : a * b;
}

template<class T>
T fraction(T x) {
    const T largest = bits_as<T>(
        static_cast<bits_of_type<T>>(sizeof(T) == 8 ? 0x3fefffffffffffffu : 0x3f7fffffu));
    const T f = x - std::floor(x);
    return f < largest ? f : (f >= T(1) ? largest : f);
}

int frexp_exponent(double x) {
    if (x == 0 || !std::isfinite(x)) return 0;
    int e = 0;
    std::frexp(x, &e);
    return e;
}
double frexp_mantissa(double x) {
    if (!std::isfinite(x)) return quiet(x);
    int e = 0;
    return std::frexp(x, &e);
}
float scale_float(float x, i32 by) {
    // The product of a double and a power of two is exact, so only the last step rounds.
    const int n = std::clamp(by, -400, 400);
    return static_cast<float>(std::ldexp(static_cast<double>(x), n));
}

/// The 1201 bits of 2/pi behind the point, from the highest, as 64-bit words.
constexpr u64 two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000};

/// 53 bits of 2/pi, which the reduction of a large angle multiplies by: the ones from `shift` on.
double preloaded_bits(double x, u32 segment) {
    const int exponent = exponent_field(x);
    int shift = static_cast<int>(segment & 31) * 53;
    if (exponent > 1077) shift += exponent - 1077;
    const unsigned word = static_cast<unsigned>(shift) / 64,
                   bit = static_cast<unsigned>(shift) % 64;
    const auto at = [](unsigned i) {
        return i < std::size(two_over_pi) ? two_over_pi[i] : 0;
    };
    const u64 taken = at(word) << bit | (bit ? at(word + 1) >> (64 - bit) : 0);
    const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
    return std::ldexp(static_cast<double>(taken >> 11), scale);
}

constexpr entry_options accumulate{.reads_dst = true};
constexpr entry_options wide{.cycles = 4};

constexpr instruction float_table[] = {
    vector_op("v_add_f32", [](float a, float b) { return a + b; }),
    vector_op("v_sub_f32", [](float a, float b) { return a - b; }),
    vector_op("v_subrev_f32", [](float a, float b) { return b - a; }),
    vector_op("v_mul_f32", [](float a, float b) { return a * b; }),
    vector_op("v_mul_dx9_zero_f32", [](float a, float b) { return mul_dx9(a, b); }),
    vector_op("v_fma_dx9_zero_f32",
              [](float a, float b, float c) { return a == 0 || b == 0 ? c : fma(a, b, c); }),
    vector_op(
        "v_fmac_f32", [](float a, float b, float c) { return fma(a, b, c); }, accumulate),
    vector_op("v_fma_f32", [](float a, float b, float c) { return fma(a, b, c); }),
    vector_op("v_fmamk_f32", [](float a, float b, float c) { return fma(a, b, c); }),
    vector_op("v_fmaak_f32", [](float a, float b, float c) { return fma(a, b, c); }),
    vector_op("v_min_num_f32", [](float a, float b) { return min_num(a, b); }),
    vector_op("v_max_num_f32", [](float a, float b) { return max_num(a, b); }),
    vector_op("v_minimum_f32", [](float a, float b) { return minimum(a, b); }),
    vector_op("v_maximum_f32", [](float a, float b) { return maximum(a, b); }),
    vector_op("v_min3_num_f32",
              [](float a, float b, float c) { return min_num(min_num(a, b), c); }),
    vector_op("v_max3_num_f32",
              [](float a, float b, float c) { return max_num(max_num(a, b), c); }),
    vector_op("v_med3_num_f32", [](float a, float b, float c) { return median_num(a, b, c); }),
    vector_op("v_minmax_num_f32",
              [](float a, float b, float c) { return max_num(min_num(a, b), c); }),
    vector_op("v_maxmin_num_f32",
              [](float a, float b, float c) { return min_num(max_num(a, b), c); }),
    vector_op("v_minimum3_f32",
              [](float a, float b, float c) { return minimum(minimum(a, b), c); }),
    vector_op("v_maximum3_f32",
              [](float a, float b, float c) { return maximum(maximum(a, b), c); }),
    vector_op("v_minimummaximum_f32",
              [](float a, float b, float c) { return maximum(minimum(a, b), c); }),
    vector_op("v_maximumminimum_f32",
              [](float a, float b, float c) { return minimum(maximum(a, b), c); }),
    vector_op("v_floor_f32", [](float a) { return std::floor(a); }),
    vector_op("v_ceil_f32", [](float a) { return std::ceil(a); }),
    vector_op("v_trunc_f32", [](float a) { return std::trunc(a); }),
    vector_op("v_rndne_f32", [](float a) { return __builtin_roundevenf(a); }),
    vector_op("v_fract_f32", [](float a) { return fraction(a); }),
    vector_op("v_frexp_exp_i32_f32",
              [](float a) -> i32 { return frexp_exponent(static_cast<double>(a)); }),
    vector_op("v_frexp_mant_f32",
              [](float a) { return static_cast<float>(frexp_mantissa(static_cast<double>(a))); }),
    vector_op("v_ldexp_f32", [](float a, i32 b) { return scale_float(a, b); }),
    vector_op("v_div_scale_f32", [](float a, float b, float c) { return div_scale(a, b, c); }),
    vector_op("v_div_fixup_f32", [](float a, float b, float c) { return div_fixup(a, b, c); }),
};

constexpr instruction double_table[] = {
    vector_op(
        "v_add_f64", [](double a, double b) { return a + b; }, wide),
    vector_op(
        "v_mul_f64", [](double a, double b) { return a * b; }, wide),
    vector_op(
        "v_fma_f64", [](double a, double b, double c) { return fma(a, b, c); }, wide),
    vector_op(
        "v_min_num_f64", [](double a, double b) { return min_num(a, b); }, wide),
    vector_op(
        "v_max_num_f64", [](double a, double b) { return max_num(a, b); }, wide),
    vector_op(
        "v_minimum_f64", [](double a, double b) { return minimum(a, b); }, wide),
    vector_op(
        "v_maximum_f64", [](double a, double b) { return maximum(a, b); }, wide),
    vector_op(
        "v_floor_f64", [](double a) { return std::floor(a); }, wide),
    vector_op(
        "v_ceil_f64", [](double a) { return std::ceil(a); }, wide),
    vector_op(
        "v_trunc_f64", [](double a) { return std::trunc(a); }, wide),
    vector_op(
        "v_rndne_f64", [](double a) { return __builtin_roundeven(a); }, wide),
    vector_op(
        "v_fract_f64", [](double a) { return fraction(a); }, wide),
    vector_op(
        "v_frexp_exp_i32_f64", [](double a) -> i32 { return frexp_exponent(a); }, wide),
    vector_op(
        "v_frexp_mant_f64", [](double a) { return frexp_mantissa(a); }, wide),
    vector_op(
        "v_ldexp_f64", [](double a, i32 b) { return std::ldexp(a, std::clamp(b, -4000, 4000)); },
        wide),
    vector_op(
        "v_div_scale_f64", [](double a, double b, double c) { return div_scale(a, b, c); }, wide),
    vector_op(
        "v_div_fixup_f64", [](double a, double b, double c) { return div_fixup(a, b, c); }, wide),
    vector_op(
        "v_trig_preop_f64", [](double a, u32 b) { return preloaded_bits(a, b); }, wide),
    vector_op("v_rcp_f64", [](double a) { return 1.0 / a; }, {.cls = op_class::transcendental}),
    vector_op("v_rsq_f64", [](double a) { return 1.0 / std::sqrt(a); },
              {.cls = op_class::transcendental}),
    vector_op("v_sqrt_f64", [](double a) { return std::sqrt(a); },
              {.cls = op_class::transcendental}),
};

} // namespace

/// Brings the operands of a division into a range in which its steps neither overflow nor lose
/// bits; the mask asks v_div_fmas to undo it.
template<class T>
with_mask<T> div_scale(T value, T denominator, T numerator) {
    constexpr bool single = sizeof(T) == 4;
    constexpr int by = single ? 64 : 128, far = single ? 96 : 768, tiny = single ? 23 : 53;
    const T up = single ? T(0x1p64) : T(0x1p128), down = single ? T(0x1p-64) : T(0x1p-128);
    const auto scaled = [&](int n) {
        return value * (n > 0 ? up : down);
    };
    if (numerator == 0 || denominator == 0) return {std::numeric_limits<T>::quiet_NaN(), false};
    if (exponent_field(numerator) - exponent_field(denominator) >= far)
        return {value == denominator ? scaled(by) : value, true};
    if (is_denormal(denominator)) return {scaled(by), false};
    const bool small_inverse = is_denormal(T(1) / denominator);
    const bool small_quotient = is_denormal(numerator / denominator);
    if (small_inverse && small_quotient) return {value == denominator ? scaled(-by) : value, true};
    if (small_inverse) return {scaled(-by), false};
    if (small_quotient) return {value == numerator ? scaled(by) : value, true};
    if (exponent_field(numerator) <= tiny) return {scaled(by), false};
    return {value, false};
}

template<class T>
T div_fixup(T quotient, T denominator, T numerator) {
    constexpr T inf = std::numeric_limits<T>::infinity();
    constexpr bool single = sizeof(T) == 4;
    const T sign = std::signbit(denominator) != std::signbit(numerator) ? T(-1) : T(1);
    if (numerator != numerator) return quiet(numerator);
    if (denominator != denominator) return quiet(denominator);
    const T n = std::fabs(numerator), d = std::fabs(denominator);
    if ((d == 0 && n == 0) || (d == inf && n == inf)) return -std::numeric_limits<T>::quiet_NaN();
    if (d == 0 || n == inf) return sign * inf;
    if (d == inf || n == 0) return sign * T(0);
    const int distance = exponent_field(numerator) - exponent_field(denominator);
    if (distance < (single ? -150 : -1075)) return sign * T(0);
    if (quotient != quotient) return sign * inf;
    return sign * std::fabs(quotient);
}

template<class T>
T div_fmas(T a, T b, T c, bool scaled) {
    constexpr bool single = sizeof(T) == 4;
    constexpr int middle = single ? 127 : 1023;
    const T up = single ? T(0x1p64) : T(0x1p128), down = single ? T(0x1p-64) : T(0x1p-128);
    const T r = fma(a, b, c);
    return scaled ? r * (exponent_field(c) > middle ? up : down) : r;
}

template with_mask<float> div_scale(float, float, float);
template with_mask<double> div_scale(double, double, double);
template float div_fixup(float, float, float);
template double div_fixup(double, double, double);
template float div_fmas(float, float, float, bool);
template double div_fmas(double, double, double, bool);

instruction_table vector_float_table() {
    return float_table;
}
instruction_table vector_double_table() {
    return double_table;
}

} // namespace r9v_emulator
