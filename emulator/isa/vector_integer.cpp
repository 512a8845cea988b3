// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "arithmetic.hpp"
#include "tables.hpp"
#include <bit>
#include <limits>

namespace r9v_emulator {
namespace {

u32 add_saturated(u32 a, u32 b) {
    return a + b < a ? all_lanes : a + b;
}
u32 subtract_saturated(u32 a, u32 b) {
    return a < b ? 0 : a - b;
}
i32 saturated(i64 x) {
    return static_cast<i32>(
        std::clamp<i64>(x, std::numeric_limits<i32>::min(), std::numeric_limits<i32>::max()));
}
i32 signed24(u32 x) {
    return static_cast<i32>(x << 8) >> 8;
}
u32 difference(u32 a, u32 b) {
    return a > b ? a - b : b - a;
}
u32 sum_of_differences(u32 a, u32 b, u32 c, unsigned width, bool masked) {
    const u32 field = width == 8 ? 0xffu : 0xffffu;
    for (unsigned at = 0; at < 32; at += width) {
        const u32 x = a >> at & field, y = b >> at & field;
        if (!masked || y) c += difference(x, y);
    }
    return c;
}

/// The low dword of an exact unsigned result, or the nearest value where it is to be clamped.
u32 low_dword(const op& o, i64 exact) {
    if (!(o.flags & flag_clamp)) return static_cast<u32>(exact);
    return static_cast<u32>(std::clamp<i64>(exact, 0, all_lanes));
}
i32 low_signed(const op& o, i64 exact) {
    return o.flags & flag_clamp ? saturated(exact) : static_cast<i32>(exact);
}
with_mask<u32> with_carry(const op& o, i64 exact) {
    return {low_dword(o, exact), exact < 0 || exact > i64{all_lanes}};
}

constexpr entry_options slow{.cycles = 4};

constexpr instruction table[] = {
    vector_op("v_add_nc_u32",
              [](const op& o, u32 a, u32 b) -> u32 {
                  return o.flags & flag_clamp ? add_saturated(a, b) : a + b;
              }),
    vector_op("v_sub_nc_u32",
              [](const op& o, u32 a, u32 b) -> u32 {
                  return o.flags & flag_clamp ? subtract_saturated(a, b) : a - b;
              }),
    vector_op("v_subrev_nc_u32",
              [](const op& o, u32 a, u32 b) -> u32 {
                  return o.flags & flag_clamp ? subtract_saturated(b, a) : b - a;
              }),
    vector_op("v_add_nc_i32",
              [](const op& o, i32 a, i32 b) -> i32 {
                  const i64 sum = i64{a} + b;
                  return o.flags & flag_clamp ? saturated(sum) : static_cast<i32>(sum);
              }),
    vector_op("v_sub_nc_i32",
              [](const op& o, i32 a, i32 b) -> i32 {
                  const i64 sum = i64{a} - b;
                  return o.flags & flag_clamp ? saturated(sum) : static_cast<i32>(sum);
              }),
    vector_op("v_add_co_u32", [](const op& o, u32 a, u32 b) { return with_carry(o, i64{a} + b); }),
    vector_op("v_sub_co_u32", [](const op& o, u32 a, u32 b) { return with_carry(o, i64{a} - b); }),
    vector_op("v_subrev_co_u32",
              [](const op& o, u32 a, u32 b) { return with_carry(o, i64{b} - a); }),
    vector_op("v_add_co_ci_u32",
              [](const op& o, u32 a, u32 b, bool c) { return with_carry(o, i64{a} + b + c); }),
    vector_op("v_sub_co_ci_u32",
              [](const op& o, u32 a, u32 b, bool c) { return with_carry(o, i64{a} - b - c); }),
    vector_op("v_subrev_co_ci_u32",
              [](const op& o, u32 a, u32 b, bool c) { return with_carry(o, i64{b} - a - c); }),
    vector_op(
        "v_mul_lo_u32", [](u32 a, u32 b) { return a * b; }, slow),
    vector_op(
        "v_mul_hi_u32", [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }, slow),
    vector_op(
        "v_mul_hi_i32", [](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }, slow),
    vector_op("v_mul_u32_u24", [](u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }),
    vector_op("v_mul_i32_i24",
              [](u32 a, u32 b) -> u32 { return static_cast<u32>(i64{signed24(a)} * signed24(b)); }),
    vector_op("v_mul_hi_u32_u24",
              [](u32 a, u32 b) -> u32 {
                  return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) >> 32);
              }),
    vector_op(
        "v_mul_hi_i32_i24",
        [](u32 a, u32 b) -> u32 { return static_cast<u32>(i64{signed24(a)} * signed24(b) >> 32); }),
    vector_op("v_mad_u32_u24",
              [](const op& o, u32 a, u32 b, u32 c) {
                  return low_dword(o, i64{a & 0xffffff} * (b & 0xffffff) + c);
              }),
    vector_op("v_mad_i32_i24",
              [](const op& o, u32 a, u32 b, i32 c) {
                  return low_signed(o, i64{signed24(a)} * signed24(b) + c);
              }),
    vector_op("v_mad_co_u64_u32",
              [](u32 a, u32 b, u64 c) -> with_mask<u64> {
                  const u64 r = u64{a} * b + c;
                  return {r, r < c};
              },
              {.taints = rule::carry_up, .cycles = 4}),
    vector_op("v_mad_co_i64_i32",
              [](i32 a, i32 b, i64 c) -> with_mask<i64> {
                  // The mask is bit 64 of the exact sum: its sign.
                  i64 r = 0;
                  const bool over = __builtin_add_overflow(i64{a} * b, c, &r);
                  return {r, (r < 0) != over};
              },
              {.taints = rule::carry_up, .cycles = 4}),
    vector_op("v_mad_u32_u16",
              [](const op& o, u16 a, u16 b, u32 c) { return low_dword(o, i64{a} * b + c); }),
    vector_op("v_mad_i32_i16",
              [](const op& o, i16 a, i16 b, i32 c) { return low_signed(o, i64{a} * b + c); }),
    vector_op("v_min_u32", [](u32 a, u32 b) { return a < b ? a : b; }),
    vector_op("v_max_u32", [](u32 a, u32 b) { return a > b ? a : b; }),
    vector_op("v_min_i32", [](i32 a, i32 b) { return a < b ? a : b; }),
    vector_op("v_max_i32", [](i32 a, i32 b) { return a > b ? a : b; }),
    vector_op("v_min3_u32", [](u32 a, u32 b, u32 c) { return std::min(std::min(a, b), c); }),
    vector_op("v_max3_u32", [](u32 a, u32 b, u32 c) { return std::max(std::max(a, b), c); }),
    vector_op("v_med3_u32", [](u32 a, u32 b, u32 c) { return median(a, b, c); }),
    vector_op("v_min3_i32", [](i32 a, i32 b, i32 c) { return std::min(std::min(a, b), c); }),
    vector_op("v_max3_i32", [](i32 a, i32 b, i32 c) { return std::max(std::max(a, b), c); }),
    vector_op("v_med3_i32", [](i32 a, i32 b, i32 c) { return median(a, b, c); }),
    vector_op("v_maxmin_u32", [](u32 a, u32 b, u32 c) { return std::min(std::max(a, b), c); }),
    vector_op("v_minmax_u32", [](u32 a, u32 b, u32 c) { return std::max(std::min(a, b), c); }),
    vector_op("v_maxmin_i32", [](i32 a, i32 b, i32 c) { return std::min(std::max(a, b), c); }),
    vector_op("v_minmax_i32", [](i32 a, i32 b, i32 c) { return std::max(std::min(a, b), c); }),
    vector_op("v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }),
    vector_op("v_add_lshl_u32", [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }),
    vector_op("v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; }),
    vector_op("v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; }),
    vector_op("v_sad_u8",
              [](u32 a, u32 b, u32 c) { return sum_of_differences(a, b, c, 8, false); }),
    vector_op("v_msad_u8",
              [](u32 a, u32 b, u32 c) { return sum_of_differences(a, b, c, 8, true); }),
    vector_op(
        "v_sad_hi_u8",
        [](u32 a, u32 b, u32 c) { return (sum_of_differences(a, b, 0, 8, false) << 16) + c; }),
    vector_op("v_sad_u16",
              [](u32 a, u32 b, u32 c) { return sum_of_differences(a, b, c, 16, false); }),
    vector_op("v_sad_u32", [](u32 a, u32 b, u32 c) { return difference(a, b) + c; }),
    vector_op("v_lerp_u8",
              [](u32 a, u32 b, u32 c) {
                  u32 r = 0;
                  for (unsigned at = 0; at < 32; at += 8)
                      r |= ((a >> at & 0xff) + (b >> at & 0xff) + (c >> at & 1)) / 2 << at;
                  return r;
              }),
    vector_op("v_lshlrev_b64", [](u32 a, u64 b) { return b << (a & 63); },
              {.taints = rule::carry_up, .cycles = 2}),
    vector_op("v_lshrrev_b64", [](u32 a, u64 b) { return b >> (a & 63); }, {.cycles = 2}),
    vector_op("v_ashrrev_i64", [](u32 a, i64 b) { return b >> (a & 63); }, {.cycles = 2}),
};

} // namespace

instruction_table vector_integer_table() {
    return table;
}

} // namespace r9v_emulator
