// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Instructions that look across lanes, or that pick their registers at run time, and the ones that
// read VCC without naming it; also the 8-bit conversions that write part of a register.
#include "arithmetic.hpp"
#include "tables.hpp"
#include <bit>

namespace r9v_emulator {
namespace {

u32 lane_index(const wave& w, const op& o, int i) {
    return scalar_word(w, o, i, 0) & 31;
}
u32 first_active(const wave& w) {
    return w.exec() ? static_cast<u32>(std::countr_zero(w.exec())) : 0;
}

u32 lane_taint_bits(const taint& t, u32 lane) {
    u32 bits = 0;
    for (unsigned b = 0; b < 4; ++b)
        if (t.plane[b] >> lane & 1) bits |= 0xffu << (8 * b);
    return bits;
}

void check_sources(wave& w, const op& o) {
    for (int i = 0; i < 4 && o.info->src[i] != kind::none; ++i)
        check_pending(w, o, o.src[i], words_of(o.info->src[i]), false);
}
void check_destination(wave& w, const op& o) {
    check_pending(w, o, o.dst, words_of(o.info->dst), true);
}

template<bool Strict, bool First>
void read_lane(wave& w, const op& o) {
    const u32 lane = First ? first_active(w) : lane_index(w, o, 1);
    if constexpr (Strict) {
        check_sources(w, o);
        check_destination(w, o);
        u32 bits = is_vector(o.src[0]) ? lane_taint_bits(w.taints[o.src[0]], lane)
                                       : w.taints[o.src[0]].plane[0];
        if (!First && w.taints[o.src[1]].plane[0]) bits = all_lanes;
        if (o.dst == scalar(m0_number) && bits) report_poison(w, o, "M0", 0);
        if (o.dst < scalar(discard_number)) w.taints[o.dst] = taint::of(bits, 0, 0, 0);
    }
    const u32 value = is_vector(o.src[0]) ? w.v[o.src[0]][lane] : scalar_word(w, o, 0, 0);
    write_scalar(w, o.dst, value);
}

template<bool Strict>
void write_lane(wave& w, const op& o) {
    const u32 lane = lane_index(w, o, 1);
    if constexpr (Strict) {
        check_sources(w, o);
        check_destination(w, o);
        const u32 bits = o.src[0] < constant_index ? w.taints[o.src[0]].plane[0] : 0;
        taint& t = w.taints[o.dst];
        // How compilers spill scalars. Lane masks often have bits that were never written, of lanes
        // that are off; vector registers know bytes only, and a byte that says something is kept.
        for (unsigned b = 0; b < 4; ++b) {
            t.plane[b] &= ~(1u << lane);
            if ((bits >> (8 * b) & 0xff) == 0xff) t.plane[b] |= 1u << lane;
        }
    }
    w.v[o.dst][lane] = scalar_word(w, o, 0, 0);
}

/// Lane that each lane of a permlane16 reads: selectors of 4 bits in two scalars, or per lane.
template<bool Cross, bool Variable>
u32 permuted_lane(const wave& w, const op& o, u32 lane) {
    u32 select = 0;
    if constexpr (Variable) {
        select = w.v[o.src[1]][lane] & 15;
    } else {
        const u32 list = scalar_word(w, o, (lane & 15) < 8 ? 1 : 2, 0);
        select = list >> (4 * (lane & 7)) & 15;
    }
    const u32 row = Cross ? (lane & 16) ^ 16 : lane & 16;
    return row | select;
}

/// op_sel carries "fetch inactive" and "bound control". A source lane that is off gives 0 with
/// bound control, else the lane keeps its value.
template<bool Strict, bool Cross, bool Variable>
void permute_row(wave& w, const op& o) {
    if constexpr (Strict) {
        check_sources(w, o);
        check_destination(w, o);
    }
    const bool fetch_inactive = o.sel & 1, bound_zero = o.sel & 2;
    lane_block from;
    std::memcpy(from.word, w.v[o.src[0]], sizeof from.word);
    const taint source_taint = w.taints[o.src[0]], old = w.taints[o.dst];
    taint t = old;
    for (u32 l = 0; l < lanes; ++l) {
        if (!(w.exec() >> l & 1)) continue;
        const u32 s = permuted_lane<Cross, Variable>(w, o, l);
        const bool valid = fetch_inactive || (w.exec() >> s & 1);
        if (!valid && !bound_zero) continue;
        w.v[o.dst][l] = valid ? from.word[s] : 0;
        for (unsigned b = 0; Strict && b < 4; ++b)
            t.plane[b] = (t.plane[b] & ~(1u << l)) | (valid ? source_taint.plane[b] >> s & 1 : 0)
                                                         << l;
    }
    if constexpr (Strict) {
        u32 selector = Variable ? w.taints[o.src[1]].any_byte() & w.exec() : 0;
        if (!Variable)
            for (int i = 1; i < 3; ++i)
                if (o.src[i] < constant_index && w.taints[o.src[i]].plane[0]) selector = all_lanes;
        w.taints[o.dst] = t | taint::every(selector);
    }
}

/// Relative: each register is moved by a field of M0.
template<bool Strict, bool Relative>
void swap_registers(wave& w, const op& o) {
    const u32 m0 = Relative ? w.s[m0_number] : 0;
    const u32 a = o.dst + (m0 >> 16 & 0x3ff), b = o.src[0] + (m0 & 0x3ff);
    if (a >= 256 || b >= 256)
        report_fatal(w, o, "register out of range", -1, 0, "M0 is " + std::to_string(m0));
    if constexpr (Strict) {
        check_pending(w, o, static_cast<u16>(a), 1, true);
        check_pending(w, o, static_cast<u16>(b), 1, true);
        const taint first = w.taints[a], second = w.taints[b];
        w.taints[a] = (second & w.exec()) | (first & ~w.exec());
        w.taints[b] = (first & w.exec()) | (second & ~w.exec());
    }
    for (u32 l = 0; l < lanes; ++l)
        if (w.exec() >> l & 1) std::swap(w.v[a][l], w.v[b][l]);
}

template<bool Strict, bool High>
void count_below(wave& w, const op& o) {
    if constexpr (Strict) propagate(w, o);
    lane_block a, b, r;
    const u32* mask = source<u32>(w, o, 0, 0, a.word);
    const u32* base = source<u32>(w, o, 1, 0, b.word);
    for (u32 l = 0; l < lanes; ++l) {
        const u32 below = High ? 0 : (1u << l) - 1;
        r.word[l] = base[l] + static_cast<u32>(std::popcount(mask[l] & below));
    }
    merge_words(w.v[o.dst], r.word, write_mask(w, o));
}

/// The register M0 names: relative to source, destination or both.
/// Fields: bits 9:0 for the source, 25:16 for the destination, else all of it for both.
template<bool Strict, bool Source, bool Destination, bool Fields>
void move_relative(wave& w, const op& o) {
    const u32 by = w.s[m0_number];
    op moved = o;
    if (Source) moved.src[0] = static_cast<u16>(o.src[0] + (Fields ? by & 0x3ff : by));
    if (Destination) moved.dst = static_cast<u16>(o.dst + (Fields ? by >> 16 & 0x3ff : by));
    if (moved.dst >= 256 || (is_vector(o.src[0]) && moved.src[0] >= 256))
        report_fatal(w, o, "register out of range", -1, 0, "M0 is " + std::to_string(by));
    if constexpr (Strict) propagate(w, moved);
    lane_block a;
    merge_words(w.v[moved.dst], source<u32>(w, moved, 0, 0, a.word), w.exec());
}

/// v_div_fmas reads VCC without naming it.
template<class T>
void div_fmas_lanes(wave& w, const op& o) {
    lane_block buffer[6], low, high;
    const u32* in[3][2];
    for (int i = 0; i < 3; ++i)
        for (unsigned n = 0; n < sizeof(T) / 4; ++n)
            in[i][n] = source<T>(w, o, i, n, buffer[2 * i + static_cast<int>(n)].word);
    for (u32 l = 0; l < lanes; ++l) {
        const auto value = [&](int i) {
            return from_words<T>(in[i][0][l], in[i][sizeof(T) / 8][l]);
        };
        const T r = div_fmas(value(0), value(1), value(2), w.vcc() >> l & 1);
        low.word[l] = low_word(r);
        high.word[l] = high_word(r);
    }
    if (o.special) finish_result(w, o, kind_of<T>(), low.word, high.word);
    merge_words(w.v[o.dst], low.word, w.exec());
    if constexpr (sizeof(T) == 8) merge_words(w.v[o.dst + 1], high.word, w.exec());
}
template<class T>
void div_fmas_strict(wave& w, const op& o) {
    check_pending(w, o, scalar(vcc_number), 1, false);
    propagate(w, o);
    const u32 bad = w.taints[scalar(vcc_number)].plane[0] & w.exec();
    for (unsigned n = 0; bad && n < sizeof(T) / 4; ++n)
        w.taints[o.dst + n] = w.taints[o.dst + n] | taint::every(bad);
    div_fmas_lanes<T>(w, o);
}

bool saturates(const wave& w) {
    return w.mode >> 23 & 1;
} // MODE.FP16_OVFL

/// Two f32 to two 8-bit floats in the half of the destination that op_sel picks.
template<bool Strict, u8 (*Narrow)(float, bool)>
void narrow_pair(wave& w, const op& o) {
    lane_block a, b, r;
    if constexpr (Strict) propagate(w, o);
    const u32* x = source<float>(w, o, 0, 0, a.word);
    const u32* y = source<float>(w, o, 1, 0, b.word);
    for (u32 l = 0; l < lanes; ++l)
        r.word[l] = Narrow(bits_as<float>(x[l]), saturates(w)) |
                    static_cast<u32>(Narrow(bits_as<float>(y[l]), saturates(w))) << 8;
    merge_halves(w.v[o.dst], r.word, write_mask(w, o), o.sel & 8);
}

unsigned selected_byte(const op& o) {
    return o.aux >> 8 & 3;
}

/// One f32 to one byte, rounded by the given random bits.
template<bool Strict, u8 (*Narrow)(float, u32, bool)>
void narrow_random(wave& w, const op& o) {
    lane_block a, b;
    const unsigned shift = 8 * selected_byte(o);
    const u32 enabled = write_mask(w, o);
    if constexpr (Strict) {
        const taint old = w.taints[o.dst];
        check_sources(w, o);
        check_destination(w, o);
        u32 bad = w.taints[o.src[0]].any_byte() | w.taints[o.src[1]].any_byte();
        taint t = old;
        t.plane[shift / 8] = (t.plane[shift / 8] & ~enabled) | (bad & enabled);
        w.taints[o.dst] = t;
    }
    const u32* x = source<float>(w, o, 0, 0, a.word);
    const u32* noise = source<u32>(w, o, 1, 0, b.word);
    for (u32 l = 0; l < lanes; ++l) {
        if (!(enabled >> l & 1)) continue;
        const u32 byte = Narrow(bits_as<float>(x[l]), noise[l], saturates(w));
        w.v[o.dst][l] = (w.v[o.dst][l] & ~(0xffu << shift)) | byte << shift;
    }
}

template<bool Strict, float (*Widen)(u8)>
void widen_byte(wave& w, const op& o) {
    lane_block a, r;
    if constexpr (Strict) propagate(w, o);
    const unsigned shift = 8 * selected_byte(o);
    const u32* x = source<u32>(w, o, 0, 0, a.word);
    for (u32 l = 0; l < lanes; ++l)
        r.word[l] = bits_as<u32>(Widen(static_cast<u8>(x[l] >> shift)));
    merge_words(w.v[o.dst], r.word, write_mask(w, o));
}
template<bool Strict, float (*Widen)(u8)>
void widen_pair(wave& w, const op& o) {
    lane_block a, low, high;
    if constexpr (Strict) propagate(w, o);
    const u32* x = source<u16>(w, o, 0, 0, a.word);
    for (u32 l = 0; l < lanes; ++l) {
        low.word[l] = bits_as<u32>(Widen(static_cast<u8>(x[l])));
        high.word[l] = bits_as<u32>(Widen(static_cast<u8>(x[l] >> 8)));
    }
    merge_words(w.v[o.dst], low.word, write_mask(w, o));
    merge_words(w.v[o.dst + 1], high.word, write_mask(w, o));
}

constexpr instruction custom(std::string_view name, handler plain, handler strict, kind dst, kind a,
                             kind b = kind::none, kind c = kind::none, rule taints = rule::any) {
    instruction e{name, format::vector, op_class::valu, plain, strict};
    e.dst = dst;
    e.src[0] = a;
    e.src[1] = b;
    e.src[2] = c;
    e.taint_rule = taints;
    return e;
}
#define ENTRY(name, function, ...) custom(name, &function<false>, &function<true>, __VA_ARGS__)
#define ENTRY_OF(name, function, arguments, ...)                                                   \
    custom(name, &function<false, R9V_LIST arguments>, &function<true, R9V_LIST arguments>,        \
           __VA_ARGS__)
#define R9V_LIST(...) __VA_ARGS__

constexpr instruction table[] = {
    ENTRY_OF("v_readlane_b32", read_lane, (false), kind::b32, kind::b32, kind::b32),
    ENTRY_OF("v_readfirstlane_b32", read_lane, (true), kind::b32, kind::b32),
    ENTRY("v_writelane_b32", write_lane, kind::b32, kind::b32, kind::b32),
    ENTRY_OF("v_permlane16_b32", permute_row, (false, false), kind::b32, kind::b32, kind::b32,
             kind::b32),
    ENTRY_OF("v_permlanex16_b32", permute_row, (true, false), kind::b32, kind::b32, kind::b32,
             kind::b32),
    ENTRY_OF("v_permlane16_var_b32", permute_row, (false, true), kind::b32, kind::b32, kind::b32),
    ENTRY_OF("v_permlanex16_var_b32", permute_row, (true, true), kind::b32, kind::b32, kind::b32),
    // In wave32 there is no other half: every lane keeps its own value.
    vector_op("v_permlane64_b32", [](u32 a) { return a; }, {.taints = rule::bytes}),
    ENTRY_OF("v_swap_b32", swap_registers, (false), kind::b32, kind::b32),
    ENTRY_OF("v_swaprel_b32", swap_registers, (true), kind::b32, kind::b32),
    ENTRY_OF("v_mbcnt_lo_u32_b32", count_below, (false), kind::b32, kind::b32, kind::b32),
    ENTRY_OF("v_mbcnt_hi_u32_b32", count_below, (true), kind::b32, kind::b32, kind::b32),
    ENTRY_OF("v_movrels_b32", move_relative, (true, false, false), kind::b32, kind::b32, kind::none,
             kind::none, rule::bytes),
    ENTRY_OF("v_movreld_b32", move_relative, (false, true, false), kind::b32, kind::b32, kind::none,
             kind::none, rule::bytes),
    ENTRY_OF("v_movrelsd_b32", move_relative, (true, true, false), kind::b32, kind::b32, kind::none,
             kind::none, rule::bytes),
    ENTRY_OF("v_movrelsd_2_b32", move_relative, (true, true, true), kind::b32, kind::b32,
             kind::none, kind::none, rule::bytes),
    custom("v_div_fmas_f32", &div_fmas_lanes<float>, &div_fmas_strict<float>, kind::f32, kind::f32,
           kind::f32, kind::f32),
    custom("v_div_fmas_f64", &div_fmas_lanes<double>, &div_fmas_strict<double>, kind::f64,
           kind::f64, kind::f64, kind::f64),
    ENTRY_OF("v_cvt_pk_fp8_f32", narrow_pair, (to_fp8), kind::b16, kind::f32, kind::f32),
    ENTRY_OF("v_cvt_pk_bf8_f32", narrow_pair, (to_bf8), kind::b16, kind::f32, kind::f32),
    ENTRY_OF("v_cvt_sr_fp8_f32", narrow_random, (to_fp8_random), kind::b32, kind::f32, kind::b32),
    ENTRY_OF("v_cvt_sr_bf8_f32", narrow_random, (to_bf8_random), kind::b32, kind::f32, kind::b32),
    ENTRY_OF("v_cvt_f32_fp8", widen_byte, (from_fp8), kind::f32, kind::b32),
    ENTRY_OF("v_cvt_f32_bf8", widen_byte, (from_bf8), kind::f32, kind::b32),
    ENTRY_OF("v_cvt_pk_f32_fp8", widen_pair, (from_fp8), kind::b64, kind::b16),
    ENTRY_OF("v_cvt_pk_f32_bf8", widen_pair, (from_bf8), kind::b64, kind::b16),
};

#undef ENTRY
#undef ENTRY_OF
#undef R9V_LIST

} // namespace

instruction_table vector_lane_table() {
    return table;
}

} // namespace r9v_emulator
