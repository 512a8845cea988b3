// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar integer arithmetic, shifts and bit fields.
#include "scalar.hpp"
#include "tables.hpp"
#include <bit>

namespace r9v_emulator {
namespace {

constexpr scalar_options sets{.writes_scc = true};
constexpr scalar_options uses_and_sets{.reads_scc = true, .writes_scc = true};
constexpr scalar_options moves{.taints = rule::bytes};
constexpr scalar_options chooses{.reads_scc = true, .taints = rule::select};

template<class T>
T with_scc(wave& w, T result) {
    w.scc = result != 0;
    return result;
}
u32 with_carry(wave& w, u64 sum) {
    w.scc = sum >> 32 != 0;
    return static_cast<u32>(sum);
}
u32 with_overflow(wave& w, i64 sum) {
    w.scc = sum != static_cast<i32>(sum);
    return static_cast<u32>(sum);
}
template<class T>
T choose(wave& w, T a, T b, bool first) {
    w.scc = first;
    return first ? a : b;
}
u32 shift_add(wave& w, u32 a, u32 b, unsigned by) {
    return with_carry(w, (u64{a} << by) + b);
}

template<class T>
T bit_field(T value, u32 control) {
    constexpr u32 bits = 8 * sizeof(T);
    const u32 first = control & (bits - 1), width = control >> 16 & 0x7f;
    if (width == 0) return 0;
    const T shifted = value >> first;
    if (width >= bits) return shifted;
    const u32 spare = bits - width;
    using raw = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<raw>(shifted) << spare) >> spare;
}
template<class T>
T mask_of(u32 width, u32 first) {
    constexpr u32 bits = 8 * sizeof(T);
    return static_cast<T>(((T{1} << (width & (bits - 1))) - 1) << (first & (bits - 1)));
}
template<class T>
i32 leading_sign(T x) {
    using raw = std::make_unsigned_t<T>;
    const auto folded = static_cast<raw>(x ^ (x >> (8 * sizeof(T) - 1)));
    return folded ? std::countl_zero(folded) : -1;
}
template<class T>
T reversed(T x) {
    T r = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
        r |= (x >> i & 1) << (8 * sizeof(T) - 1 - i);
    return r;
}
u64 each_bit_twice(u32 x) {
    u64 r = 0;
    for (unsigned i = 0; i < 32; ++i)
        r |= u64{x >> i & 1} * 3 << (2 * i);
    return r;
}

/// Scalar moves whose source or destination register M0 shifts.
template<unsigned Words, bool Source, bool Strict>
void move_relative(wave& w, const op& o) {
    const u32 by = w.s[m0_number];
    op moved = o;
    u16& index = Source ? moved.src[0] : moved.dst;
    index = static_cast<u16>(index + by);
    if (by > vcc_number || index + Words > scalar(vcc_number + 2))
        report_fatal(w, o, "register out of range", -1, 0, "M0 is " + std::to_string(by));
    if constexpr (Strict) {
        check_pending(w, o, moved.src[0], Words, false);
        check_pending(w, o, moved.dst, Words, true);
        if (w.taints[scalar(m0_number)].plane[0]) report_poison(w, o, "M0", 0);
    }
    for (unsigned n = 0; n < Words; ++n) {
        w.s[moved.dst - scalar_first + n] = scalar_word(w, moved, 0, n);
        if constexpr (Strict)
            w.taints[moved.dst + n] =
                moved.src[0] < constant_index ? w.taints[moved.src[0] + n] : taint{};
    }
}
template<unsigned Words, bool Source>
constexpr instruction relative(std::string_view name) {
    instruction e{name, format::scalar_alu, op_class::salu, &move_relative<Words, Source, false>,
                  &move_relative<Words, Source, true>};
    e.dst = e.src[0] = Words == 2 ? kind::b64 : kind::b32;
    return e;
}

constexpr instruction table[] = {
    relative<1, true>("s_movrels_b32"),
    relative<2, true>("s_movrels_b64"),
    relative<1, false>("s_movreld_b32"),
    relative<2, false>("s_movreld_b64"),
    scalar_op<moves>("s_mov_b32", [](u32 a) { return a; }),
    scalar_op<moves>("s_mov_b64", [](u64 a) { return a; }),
    scalar_op("s_movk_i32", [](simm16 a) { return a.value; }),
    scalar_op<scalar_options{.reads_scc = true, .reads_dst = true}>(
        "s_cmovk_i32", [](wave& w, simm16 a, i32 old) { return w.scc ? a.value : old; }),
    scalar_op<scalar_options{.reads_scc = true, .reads_dst = true}>(
        "s_cmov_b32", [](wave& w, u32 a, u32 old) { return w.scc ? a : old; }),
    scalar_op<scalar_options{.reads_scc = true, .reads_dst = true}>(
        "s_cmov_b64", [](wave& w, u64 a, u64 old) { return w.scc ? a : old; }),
    scalar_op<chooses>("s_cselect_b32", [](wave& w, u32 a, u32 b) { return w.scc ? a : b; }),
    scalar_op<chooses>("s_cselect_b64", [](wave& w, u64 a, u64 b) { return w.scc ? a : b; }),
    scalar_op<sets>("s_add_co_u32",
                    [](wave& w, u32 a, u32 b) { return with_carry(w, u64{a} + b); }),
    scalar_op<sets>("s_sub_co_u32",
                    [](wave& w, u32 a, u32 b) { return with_carry(w, u64{a} - b); }),
    scalar_op<sets>("s_add_co_i32",
                    [](wave& w, i32 a, i32 b) { return with_overflow(w, i64{a} + b); }),
    scalar_op<sets>("s_sub_co_i32",
                    [](wave& w, i32 a, i32 b) { return with_overflow(w, i64{a} - b); }),
    scalar_op<uses_and_sets>(
        "s_add_co_ci_u32", [](wave& w, u32 a, u32 b) { return with_carry(w, u64{a} + b + w.scc); }),
    scalar_op<uses_and_sets>(
        "s_sub_co_ci_u32", [](wave& w, u32 a, u32 b) { return with_carry(w, u64{a} - b - w.scc); }),
    scalar_op<scalar_options{.writes_scc = true, .reads_dst = true}>(
        "s_addk_co_i32",
        [](wave& w, simm16 a, i32 old) { return with_overflow(w, i64{old} + a.value); }),
    scalar_op<scalar_options{.reads_dst = true}>(
        "s_mulk_i32", [](simm16 a, u32 old) { return old * static_cast<u32>(a.value); }),
    scalar_op("s_add_nc_u64", [](u64 a, u64 b) { return a + b; }),
    scalar_op("s_sub_nc_u64", [](u64 a, u64 b) { return a - b; }),
    scalar_op("s_mul_u64", [](u64 a, u64 b) { return a * b; }),
    scalar_op("s_mul_i32", [](u32 a, u32 b) { return a * b; }),
    scalar_op("s_mul_hi_u32", [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }),
    scalar_op("s_mul_hi_i32", [](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }),
    scalar_op<sets>("s_lshl1_add_u32", [](wave& w, u32 a, u32 b) { return shift_add(w, a, b, 1); }),
    scalar_op<sets>("s_lshl2_add_u32", [](wave& w, u32 a, u32 b) { return shift_add(w, a, b, 2); }),
    scalar_op<sets>("s_lshl3_add_u32", [](wave& w, u32 a, u32 b) { return shift_add(w, a, b, 3); }),
    scalar_op<sets>("s_lshl4_add_u32", [](wave& w, u32 a, u32 b) { return shift_add(w, a, b, 4); }),
    scalar_op<sets>("s_min_i32", [](wave& w, i32 a, i32 b) { return choose(w, a, b, a < b); }),
    scalar_op<sets>("s_min_u32", [](wave& w, u32 a, u32 b) { return choose(w, a, b, a < b); }),
    scalar_op<sets>("s_max_i32", [](wave& w, i32 a, i32 b) { return choose(w, a, b, a > b); }),
    scalar_op<sets>("s_max_u32", [](wave& w, u32 a, u32 b) { return choose(w, a, b, a > b); }),
    scalar_op<sets>("s_abs_i32",
                    [](wave& w, i32 a) {
                        return with_scc(w, a < 0 ? 0u - static_cast<u32>(a) : static_cast<u32>(a));
                    }),
    scalar_op<sets>("s_absdiff_i32",
                    [](wave& w, i32 a, i32 b) {
                        return with_scc(w, a > b ? static_cast<u32>(a) - static_cast<u32>(b)
                                                 : static_cast<u32>(b) - static_cast<u32>(a));
                    }),
    scalar_op<sets>("s_lshl_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, a << (b & 31)); }),
    scalar_op<sets>("s_lshl_b64", [](wave& w, u64 a, u32 b) { return with_scc(w, a << (b & 63)); }),
    scalar_op<sets>("s_lshr_b32", [](wave& w, u32 a, u32 b) { return with_scc(w, a >> (b & 31)); }),
    scalar_op<sets>("s_lshr_b64", [](wave& w, u64 a, u32 b) { return with_scc(w, a >> (b & 63)); }),
    scalar_op<sets>("s_ashr_i32", [](wave& w, i32 a, u32 b) { return with_scc(w, a >> (b & 31)); }),
    scalar_op<sets>("s_ashr_i64", [](wave& w, i64 a, u32 b) { return with_scc(w, a >> (b & 63)); }),
    scalar_op("s_bfm_b32", [](u32 a, u32 b) { return mask_of<u32>(a, b); }),
    scalar_op("s_bfm_b64", [](u32 a, u32 b) { return mask_of<u64>(a, b); }),
    scalar_op<sets>("s_bfe_u32",
                    [](wave& w, u32 a, u32 b) { return with_scc(w, bit_field(a, b)); }),
    scalar_op<sets>("s_bfe_i32",
                    [](wave& w, i32 a, u32 b) { return with_scc(w, bit_field(a, b)); }),
    scalar_op<sets>("s_bfe_u64",
                    [](wave& w, u64 a, u32 b) { return with_scc(w, bit_field(a, b)); }),
    scalar_op<sets>("s_bfe_i64",
                    [](wave& w, i64 a, u32 b) { return with_scc(w, bit_field(a, b)); }),
    scalar_op("s_brev_b32", [](u32 a) { return reversed(a); }),
    scalar_op("s_brev_b64", [](u64 a) { return reversed(a); }),
    scalar_op<sets>("s_bcnt0_i32_b32",
                    [](wave& w, u32 a) { return with_scc(w, 32 - std::popcount(a)); }),
    scalar_op<sets>("s_bcnt1_i32_b32",
                    [](wave& w, u32 a) { return with_scc(w, std::popcount(a)); }),
    scalar_op<sets>("s_bcnt0_i32_b64",
                    [](wave& w, u64 a) { return with_scc(w, 64 - std::popcount(a)); }),
    scalar_op<sets>("s_bcnt1_i32_b64",
                    [](wave& w, u64 a) { return with_scc(w, std::popcount(a)); }),
    scalar_op("s_ctz_i32_b32", [](u32 a) -> i32 { return a ? std::countr_zero(a) : -1; }),
    scalar_op("s_ctz_i32_b64", [](u64 a) -> i32 { return a ? std::countr_zero(a) : -1; }),
    scalar_op("s_clz_i32_u32", [](u32 a) -> i32 { return a ? std::countl_zero(a) : -1; }),
    scalar_op("s_clz_i32_u64", [](u64 a) -> i32 { return a ? std::countl_zero(a) : -1; }),
    scalar_op("s_cls_i32", [](i32 a) { return leading_sign(a); }),
    scalar_op("s_cls_i32_i64", [](i64 a) { return leading_sign(a); }),
    scalar_op("s_sext_i32_i8", [](u32 a) -> i32 { return static_cast<i8>(a); }),
    scalar_op("s_sext_i32_i16", [](u32 a) -> i32 { return static_cast<i16>(a); }),
    scalar_op<scalar_options{.reads_dst = true}>(
        "s_bitset0_b32", [](u32 a, u32 old) { return old & ~(1u << (a & 31)); }),
    scalar_op<scalar_options{.reads_dst = true}>(
        "s_bitset1_b32", [](u32 a, u32 old) { return old | 1u << (a & 31); }),
    scalar_op<scalar_options{.reads_dst = true}>(
        "s_bitset0_b64", [](u32 a, u64 old) { return old & ~(u64{1} << (a & 63)); }),
    scalar_op<scalar_options{.reads_dst = true}>(
        "s_bitset1_b64", [](u32 a, u64 old) { return old | u64{1} << (a & 63); }),
    scalar_op("s_bitreplicate_b64_b32", [](u32 a) { return each_bit_twice(a); }),
    scalar_op("s_pack_ll_b32_b16", [](u32 a, u32 b) { return (a & 0xffff) | b << 16; }),
    scalar_op("s_pack_lh_b32_b16", [](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000u); }),
    scalar_op("s_pack_hh_b32_b16", [](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000u); }),
    scalar_op("s_pack_hl_b32_b16", [](u32 a, u32 b) { return a >> 16 | b << 16; }),
};

} // namespace

instruction_table scalar_integer_table() {
    return table;
}

} // namespace r9v_emulator
