// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The transcendental unit, evaluated in double so that results are within one f32 ulp. As on the
// hardware, f32 denormals are flushed.
#include "arithmetic.hpp"
#include "scalar.hpp"
#include "tables.hpp"
#include <limits>

namespace r9v_emulator {

namespace {

float flush(float x) {
    const u32 b = bits_as<u32>(x);
    return (b & 0x7f800000u) == 0 ? bits_as<float>(b & 0x80000000u) : x;
}

double two_to(double whole) { // integer in [-1000, 1000]
    return bits_as<double>(static_cast<u64>(static_cast<i64>(static_cast<i32>(whole)) + 1023)
                           << 52);
}

} // namespace

float exp2_unit(float given) {
    const double x = static_cast<double>(flush(given));
    const double clipped = x < -200 ? -200 : x > 200 ? 200 : x;
    const double whole = __builtin_roundeven(clipped == clipped ? clipped : 0);
    const double y = (clipped - whole) * 0.6931471805599453;
    // Taylor series of e^y for |y| <= 0.347: the first omitted term is below 1e-11.
    double p = 1.0 / 362880;
    p = p * y + 1.0 / 40320;
    p = p * y + 1.0 / 5040;
    p = p * y + 1.0 / 720;
    p = p * y + 1.0 / 120;
    p = p * y + 1.0 / 24;
    p = p * y + 1.0 / 6;
    p = p * y + 0.5;
    p = p * y + 1.0;
    p = p * y + 1.0;
    const float r = flush(static_cast<float>(p * two_to(whole)));
    return x != x ? given + given : r;
}

float log2_unit(float given) {
    const float x = flush(given);
    const u32 b = bits_as<u32>(x);
    const i32 raised = static_cast<i32>(b) - 0x3f3504f3; // mantissa into [sqrt(1/2), sqrt(2))
    const i32 exponent = raised >> 23;
    const float mantissa = bits_as<float>(b - (static_cast<u32>(exponent) << 23));
    const double m = static_cast<double>(mantissa);
    const double t = (m - 1) / (m + 1), s = t * t;
    // log(m) = 2 atanh(t), |t| <= 0.172: the first omitted term is below 1e-13.
    double p = 1.0 / 15;
    p = p * s + 1.0 / 13;
    p = p * s + 1.0 / 11;
    p = p * s + 1.0 / 9;
    p = p * s + 1.0 / 7;
    p = p * s + 1.0 / 5;
    p = p * s + 1.0 / 3;
    p = p * s + 1.0;
    const double r = 2 * 1.4426950408889634 * t * p + exponent;
    constexpr float inf = std::numeric_limits<float>::infinity();
    float out = static_cast<float>(r);
    out = x == inf ? inf : out;
    out = x == 0 ? -inf : out;
    out = x < 0 ? std::numeric_limits<float>::quiet_NaN() : out;
    return x != x ? given + given : out;
}

float rcp_unit(float x) {
    return flush(1.0f / flush(x));
}
float sqrt_unit(float x) {
    return __builtin_sqrtf(flush(x));
}
float rsq_unit(float x) {
    return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(flush(x))));
}

namespace {

/// The argument counts whole turns, any number of them: compilers reduce nothing for this unit.
double turn(float x) {
    const double y = static_cast<double>(x);
    return (y - std::floor(y)) * 6.283185307179586;
}

half half_of(float x) {
    return static_cast<half>(x);
}
float float_of(half x) {
    return static_cast<float>(x);
}

half exp_half(half a) {
    return static_cast<half>(to_odd(std::exp2(static_cast<double>(float_of(a)))));
}
half log_half(half a) {
    return static_cast<half>(to_odd(std::log2(static_cast<double>(float_of(a)))));
}
half rsq_half(half a) {
    return static_cast<half>(to_odd(1.0 / std::sqrt(static_cast<double>(float_of(a)))));
}
half rcp_half(half a) {
    return half_of(1.0f / float_of(a));
}
half sqrt_half(half a) {
    return half_of(std::sqrt(float_of(a)));
}
template<half (*Function)(half)>
u32 scalar_half(half a) {
    return bits_as<u16>(Function(a));
}

constexpr entry_options trans{.cls = op_class::transcendental};

constexpr instruction table[] = {
    vector_op(
        "v_exp_f32", [](float a) { return exp2_unit(a); }, trans),
    vector_op(
        "v_log_f32", [](float a) { return log2_unit(a); }, trans),
    vector_op(
        "v_rcp_f32", [](float a) { return rcp_unit(a); }, trans),
    vector_op(
        "v_rcp_iflag_f32", [](float a) { return rcp_unit(a); }, trans),
    vector_op(
        "v_rsq_f32", [](float a) { return rsq_unit(a); }, trans),
    vector_op(
        "v_sqrt_f32", [](float a) { return sqrt_unit(a); }, trans),
    vector_op(
        "v_sin_f32", [](float a) { return sin_unit(a); }, trans),
    vector_op(
        "v_cos_f32", [](float a) { return cos_unit(a); }, trans),
    vector_op(
        "v_exp_f16", [](half a) { return exp_half(a); }, trans),
    vector_op(
        "v_log_f16", [](half a) { return log_half(a); }, trans),
    vector_op(
        "v_rcp_f16", [](half a) { return rcp_half(a); }, trans),
    vector_op(
        "v_rsq_f16", [](half a) { return rsq_half(a); }, trans),
    vector_op(
        "v_sqrt_f16", [](half a) { return sqrt_half(a); }, trans),
    vector_op(
        "v_sin_f16", [](half a) { return half_of(sin_unit(float_of(a))); }, trans),
    vector_op(
        "v_cos_f16", [](half a) { return half_of(cos_unit(float_of(a))); }, trans),
    // The scalar forms run in the same unit.
    scalar_op("v_s_exp_f32", [](float a) { return exp2_unit(a); }).as(op_class::transcendental),
    scalar_op("v_s_log_f32", [](float a) { return log2_unit(a); }).as(op_class::transcendental),
    scalar_op("v_s_rcp_f32", [](float a) { return rcp_unit(a); }).as(op_class::transcendental),
    scalar_op("v_s_rsq_f32", [](float a) { return rsq_unit(a); }).as(op_class::transcendental),
    scalar_op("v_s_sqrt_f32", [](float a) { return sqrt_unit(a); }).as(op_class::transcendental),
    scalar_op("v_s_exp_f16", [](half a) { return scalar_half<exp_half>(a); })
        .as(op_class::transcendental),
    scalar_op("v_s_log_f16", [](half a) { return scalar_half<log_half>(a); })
        .as(op_class::transcendental),
    scalar_op("v_s_rcp_f16", [](half a) { return scalar_half<rcp_half>(a); })
        .as(op_class::transcendental),
    scalar_op("v_s_rsq_f16", [](half a) { return scalar_half<rsq_half>(a); })
        .as(op_class::transcendental),
    scalar_op("v_s_sqrt_f16", [](half a) { return scalar_half<sqrt_half>(a); })
        .as(op_class::transcendental),
};

} // namespace

float sin_unit(float x) {
    return static_cast<float>(std::sin(turn(x)));
}
float cos_unit(float x) {
    return static_cast<float>(std::cos(turn(x)));
}

instruction_table vector_transcendental_table() {
    return table;
}

} // namespace r9v_emulator
