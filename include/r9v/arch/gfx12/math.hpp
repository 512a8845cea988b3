// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Float arithmetic by single instructions of gfx12.
#pragma once

#include <r9v/arch/common/vector.hpp>

namespace r9v::inline R9V_ABI::arch {

/// IEEE 754-2019 maximum and minimum: NaN in either argument gives NaN, whatever the flags.
[[nodiscard]] R9V_INLINE float maximum(float a, float b) {
    float result;
    asm("v_maximum_f32 %0, %1, %2" : "=v"(result) : "v"(a), "v"(b));
    return result;
}
[[nodiscard]] R9V_INLINE float minimum(float a, float b) {
    float result;
    asm("v_minimum_f32 %0, %1, %2" : "=v"(result) : "v"(a), "v"(b));
    return result;
}
/// The maxima of two pairs of halves.
[[nodiscard]] R9V_INLINE std::uint32_t maximum_of_halves(std::uint32_t a, std::uint32_t b) {
    std::uint32_t result;
    asm("v_pk_maximum_f16 %0, %1, %2" : "=v"(result) : "v"(a), "v"(b));
    return result;
}
/// minimum(maximum(value, -limit), limit).
[[nodiscard]] R9V_INLINE float clamp_keeping_nan(float value, float limit) {
    float result;
    asm("v_maximumminimum_f32 %0, %1, -%2, %2" : "=v"(result) : "v"(value), "v"(limit));
    return result;
}

/// The largest of three, NaN being less than any number.
[[nodiscard]] R9V_INLINE float largest(float a, float b, float c) {
    float result;
    asm("v_max3_num_f32 %0, %1, %2, %3" : "=v"(result) : "v"(a), "v"(b), "v"(c));
    return result;
}
[[nodiscard]] R9V_INLINE float largest(float a, float b) {
    float result;
    asm("v_max_num_f32 %0, %1, %2" : "=v"(result) : "v"(a), "v"(b));
    return result;
}

/// The smallest, NaN being greater than any number.
[[nodiscard]] R9V_INLINE float smallest(float a, float b, float c) {
    float result;
    asm("v_min3_num_f32 %0, %1, %2, %3" : "=v"(result) : "v"(a), "v"(b), "v"(c));
    return result;
}
[[nodiscard]] R9V_INLINE float smallest(float a, float b) {
    float result;
    asm("v_min_num_f32 %0, %1, %2" : "=v"(result) : "v"(a), "v"(b));
    return result;
}

/// 2^x and log2(x); results and arguments that are denormal count as zero.
[[nodiscard]] R9V_INLINE float exp2(float x) {
    return __builtin_amdgcn_exp2f(x);
}
[[nodiscard]] R9V_INLINE float log2(float x) {
    return __builtin_amdgcn_logf(x);
}
/// Within 1 unit in the last place.
[[nodiscard]] R9V_INLINE float reciprocal(float x) {
    return __builtin_amdgcn_rcpf(x);
}
[[nodiscard]] R9V_INLINE float reciprocal_root(float x) {
    return __builtin_amdgcn_rsqf(x);
}
[[nodiscard]] R9V_INLINE float square_root(float x) {
    return __builtin_amdgcn_sqrtf(x);
}

} // namespace r9v::inline R9V_ABI::arch
