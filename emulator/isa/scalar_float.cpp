// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar floating point, f32 and f16.
#include "arithmetic.hpp"
#include "scalar.hpp"
#include "tables.hpp"
#include <limits>

namespace r9v_emulator {
namespace {

constexpr scalar_options accumulate{.reads_dst = true};

// Halves in scalar registers have zero above them.
u32 zero_extended(half h) {
    return bits_as<u16>(h);
}
float f(half h) {
    return static_cast<float>(h);
}
u32 h(float x) {
    return zero_extended(static_cast<half>(x));
}

constexpr instruction table[] = {
    scalar_op("s_add_f32", [](float a, float b) { return a + b; }),
    scalar_op("s_sub_f32", [](float a, float b) { return a - b; }),
    scalar_op("s_mul_f32", [](float a, float b) { return a * b; }),
    scalar_op("s_min_num_f32", [](float a, float b) { return min_num(a, b); }),
    scalar_op("s_max_num_f32", [](float a, float b) { return max_num(a, b); }),
    scalar_op("s_minimum_f32", [](float a, float b) { return minimum(a, b); }),
    scalar_op("s_maximum_f32", [](float a, float b) { return maximum(a, b); }),
    scalar_op("s_fmaak_f32", [](float a, float b, float c) { return __builtin_fmaf(a, b, c); }),
    scalar_op("s_fmamk_f32", [](float a, float b, float c) { return __builtin_fmaf(a, b, c); }),
    scalar_op<accumulate>("s_fmac_f32",
                          [](float a, float b, float c) { return __builtin_fmaf(a, b, c); }),
    scalar_op("s_ceil_f32", [](float a) { return std::ceil(a); }),
    scalar_op("s_floor_f32", [](float a) { return std::floor(a); }),
    scalar_op("s_trunc_f32", [](float a) { return std::trunc(a); }),
    scalar_op("s_rndne_f32", [](float a) { return __builtin_roundevenf(a); }),
    scalar_op("s_cvt_f32_i32", [](i32 a) { return static_cast<float>(a); }),
    scalar_op("s_cvt_f32_u32", [](u32 a) { return static_cast<float>(a); }),
    scalar_op("s_cvt_i32_f32",
              [](float a) { return saturate_to<i32>(std::trunc(static_cast<double>(a))); }),
    scalar_op("s_cvt_u32_f32",
              [](float a) { return saturate_to<u32>(std::trunc(static_cast<double>(a))); }),
    scalar_op("s_cvt_f16_f32", [](float a) { return h(a); }),
    scalar_op("s_cvt_f32_f16", [](half a) { return f(a); }),
    scalar_op("s_cvt_hi_f32_f16", [](u32 a) { return half_bits(a >> 16); }),
    scalar_op("s_cvt_pk_rtz_f16_f32",
              [](float a, float b) {
                  const auto toward_zero = [](float x) -> u32 {
                      const u32 r = h(x);
                      return std::isfinite(x) && std::fabs(half_bits(r)) > std::fabs(x) ? r - 1 : r;
                  };
                  return toward_zero(a) | toward_zero(b) << 16;
              }),
    scalar_op("s_add_f16", [](half a, half b) { return h(f(a) + f(b)); }),
    scalar_op("s_sub_f16", [](half a, half b) { return h(f(a) - f(b)); }),
    scalar_op("s_mul_f16", [](half a, half b) { return h(f(a) * f(b)); }),
    scalar_op("s_min_num_f16", [](half a, half b) { return h(min_num(f(a), f(b))); }),
    scalar_op("s_max_num_f16", [](half a, half b) { return h(max_num(f(a), f(b))); }),
    scalar_op("s_minimum_f16", [](half a, half b) { return h(minimum(f(a), f(b))); }),
    scalar_op("s_maximum_f16", [](half a, half b) { return h(maximum(f(a), f(b))); }),
    scalar_op<accumulate>("s_fmac_f16",
                          [](half a, half b, half c) { return zero_extended(fma_half(a, b, c)); }),
    scalar_op("s_ceil_f16", [](half a) { return h(std::ceil(f(a))); }),
    scalar_op("s_floor_f16", [](half a) { return h(std::floor(f(a))); }),
    scalar_op("s_trunc_f16", [](half a) { return h(std::trunc(f(a))); }),
    scalar_op("s_rndne_f16", [](half a) { return h(__builtin_roundevenf(f(a))); }),
};

} // namespace

instruction_table scalar_float_table() {
    return table;
}

} // namespace r9v_emulator
