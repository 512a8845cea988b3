// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Moves, logic, shifts and bit fields.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <bit>

namespace r9v_emulator {
namespace {

u32 permuted_byte(u64 data, u32 selector) {
    if (selector >= 13) return 0xff;
    if (selector == 12) return 0;
    if (selector >= 8) return data >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
    return static_cast<u32>(data >> (8 * selector)) & 0xff;
}
u32 permute(u32 high, u32 low, u32 selectors) {
    const u64 data = u64{high} << 32 | low;
    u32 r = 0;
    for (unsigned at = 0; at < 32; at += 8)
        r |= permuted_byte(data, selectors >> at & 0xff) << at;
    return r;
}
u32 reverse_bits(u32 x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
u32 field_mask(u32 width) {
    return (1u << (width & 31)) - 1;
}
i32 extract_signed(i32 a, u32 first, u32 width) {
    first &= 31;
    width &= 31;
    if (width == 0) return 0;
    const u32 field = static_cast<u32>(a >> first) & field_mask(width);
    const u32 sign = 1u << (width - 1);
    return static_cast<i32>((field ^ sign) - sign);
}

constexpr entry_options bytes{.taints = rule::bytes};

constexpr instruction table[] = {
    vector_op(
        "v_mov_b32", [](u32 a) { return a; }, bytes),
    vector_op(
        "v_not_b32", [](u32 a) { return ~a; }, bytes),
    vector_op("v_and_b32", [](u32 a, u32 b) { return a & b; }, {.taints = rule::bytes_and}),
    vector_op(
        "v_or_b32", [](u32 a, u32 b) { return a | b; }, bytes),
    vector_op(
        "v_xor_b32", [](u32 a, u32 b) { return a ^ b; }, bytes),
    vector_op(
        "v_xnor_b32", [](u32 a, u32 b) { return ~(a ^ b); }, bytes),
    vector_op("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; },
              {.taints = rule::bytes_and}),
    vector_op(
        "v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; }, bytes),
    vector_op(
        "v_xor3_b32", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; }, bytes),
    vector_op(
        "v_bfi_b32", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }, bytes),
    vector_op("v_bfm_b32", [](u32 a, u32 b) { return field_mask(a) << (b & 31); }),
    vector_op("v_bfe_u32", [](u32 a, u32 b, u32 c) { return (a >> (b & 31)) & field_mask(c); },
              {.taints = rule::bit_field}),
    vector_op("v_bfe_i32", [](i32 a, u32 b, u32 c) { return extract_signed(a, b, c); },
              {.taints = rule::bit_field}),
    vector_op("v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); },
              {.taints = rule::shift_left}),
    vector_op("v_lshrrev_b32", [](u32 a, u32 b) { return b >> (a & 31); },
              {.taints = rule::shift_right}),
    vector_op("v_ashrrev_i32", [](u32 a, i32 b) { return b >> (a & 31); }),
    vector_op("v_lshl_or_b32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; },
              {.taints = rule::shift_left_or}),
    vector_op("v_alignbit_b32",
              [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); },
              {.taints = rule::align_bits}),
    vector_op(
        "v_alignbyte_b32",
        [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3))); },
        {.taints = rule::align_bytes}),
    vector_op("v_perm_b32", [](u32 a, u32 b, u32 c) { return permute(a, b, c); },
              {.taints = rule::permute}),
    vector_op("v_cndmask_b32", [](float a, float b, bool c) { return c ? b : a; },
              {.taints = rule::select}),
    vector_op("v_bfrev_b32", [](u32 a) { return reverse_bits(a); }),
    vector_op("v_bcnt_u32_b32",
              [](u32 a, u32 b) { return static_cast<u32>(std::popcount(a)) + b; }),
    vector_op("v_clz_i32_u32", [](u32 a) { return a ? std::countl_zero(a) : -1; }),
    vector_op("v_ctz_i32_b32", [](u32 a) { return a ? std::countr_zero(a) : -1; }),
    vector_op("v_cls_i32",
              [](i32 a) {
                  const u32 folded = static_cast<u32>(a ^ (a >> 31));
                  return folded ? std::countl_zero(folded) : -1;
              }),
};

} // namespace

instruction_table vector_bits_table() {
    return table;
}

} // namespace r9v_emulator
