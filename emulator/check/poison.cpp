// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How poison spreads through a vector instruction. All of this is off the fast path: it runs only
// when an operand is poison or outstanding.
#include "../isa/dpp.hpp"
#include "check.hpp"
#include <bit>

namespace r9v_emulator {
namespace {

struct operand_taint {
    taint word[2];
};

/// A scalar broadcast to all lanes: a byte is poison when any of its bits is.
taint broadcast(u32 bits) {
    taint t;
    for (unsigned b = 0; b < 4; ++b)
        t.plane[b] = (bits >> (8 * b) & 0xff) ? all_lanes : 0;
    return t;
}

bool is_half(kind k) {
    return k == kind::b16 || k == kind::f16 || k == kind::bf16;
}
bool is_packed(kind k) {
    return k == kind::packed_f16 || k == kind::packed_bf16 || k == kind::packed_b16;
}

taint move_dpp(const wave& w, const op& o, const taint& from) {
    const dpp_sources sources = dpp_lanes(w, o);
    taint to;
    for (unsigned b = 0; b < 4; ++b)
        for (unsigned l = 0; l < lanes; ++l)
            if (sources.from[l] >= 0) to.plane[b] |= (from.plane[b] >> sources.from[l] & 1) << l;
    return to;
}

operand_taint read_operand(const wave& w, const op& o, int i) {
    const u16 index = o.src[i];
    const kind k = o.info->src[i];
    operand_taint out;
    if (index >= constant_index) return out;
    for (unsigned n = 0; n < (words_of(k) == 2 ? 2u : 1u); ++n) {
        taint t = w.taints[index + n];
        if (is_scalar(index))
            t = k == kind::mask ? taint::of(t.plane[0], 0, 0, 0) : broadcast(t.plane[0]);
        if (o.dpp != dpp_kind::none && i == 0) t = move_dpp(w, o, t);
        if (is_half(k))
            t = (o.sel >> i & 1) ? taint::of(t.plane[2], t.plane[3], 0, 0)
                                 : taint::of(t.plane[0], t.plane[1], 0, 0);
        if (is_packed(k)) {
            const unsigned low = (o.sel >> i & 1) ? 2 : 0, high = (o.sel_hi >> i & 1) ? 2 : 0;
            t = taint::of(t.plane[low], t.plane[low + 1], t.plane[high], t.plane[high + 1]);
        }
        out.word[n] = t;
    }
    return out;
}

/// Value of a source when it is the same in all lanes and clean.
bool uniform_value(const wave& w, const op& o, int i, u32& value) {
    const u16 index = o.src[i];
    if (is_vector(index)) return false;
    if (is_scalar(index)) {
        if (w.taints[index].plane[0]) return false;
        value = w.s[index - scalar_first];
    } else {
        value = static_cast<u32>(o.constant[i]);
    }
    return true;
}

u32 lane_value(const wave& w, const op& o, int i, unsigned lane) {
    const u16 index = o.src[i];
    if (is_vector(index)) return w.v[index][lane];
    return is_scalar(index) ? w.s[index - scalar_first] : static_cast<u32>(o.constant[i]);
}

/// Poison after a left (positive) or right (negative) shift by a constant number of bits.
taint shifted(const taint& from, int bits) {
    taint to;
    for (int b = 0; b < 4; ++b) {
        const int first = 8 * b - bits, last = first + 7; // source bits of byte b
        for (int s = 0; s < 4; ++s)
            if (8 * s <= last && first <= 8 * s + 7) to.plane[b] |= from.plane[s];
    }
    return to;
}

taint shift_by(const wave& w, const op& o, const taint& data, int amount_at, bool left,
               u32 amount_any) {
    u32 amount = 0;
    if (!uniform_value(w, o, amount_at, amount)) return taint::every(data.any_byte() | amount_any);
    const int bits = static_cast<int>(amount & 31);
    return shifted(data, left ? bits : -bits);
}

/// Bytes that an AND with a clean zero byte makes clean.
taint and_taint(const wave& w, const op& o, const taint& a, const taint& b) {
    taint t = a | b;
    for (unsigned l = 0; l < lanes; ++l) {
        const u32 x = lane_value(w, o, 0, l), y = lane_value(w, o, 1, l);
        for (unsigned n = 0; n < 4; ++n) {
            const bool zero_x = !(a.plane[n] >> l & 1) && !(x >> (8 * n) & 0xff);
            const bool zero_y = !(b.plane[n] >> l & 1) && !(y >> (8 * n) & 0xff);
            if (zero_x || zero_y) t.plane[n] &= ~(1u << l);
        }
    }
    return t;
}

taint select_taint(const wave& w, const op& o, const operand_taint (&in)[4]) {
    const u32 mask = lane_value(w, o, 2, 0);
    const taint chosen = (in[1].word[0] & mask) | (in[0].word[0] & ~mask);
    return chosen | taint::every(in[2].word[0].plane[0]);
}

taint permute_taint(const wave& w, const op& o, const operand_taint (&in)[4]) {
    taint t = taint::every(in[2].word[0].any_byte());
    for (unsigned l = 0; l < lanes; ++l) {
        const u32 selector = lane_value(w, o, 2, l);
        for (unsigned n = 0; n < 4; ++n) {
            const u32 s = selector >> (8 * n) & 0xff;
            if (s >= 12) continue;
            // 8..11 replicate the sign of bytes 1, 3, 5, 7.
            const u32 byte = s < 8 ? s : 2 * (s - 8) + 1;
            const taint& from = byte < 4 ? in[1].word[0] : in[0].word[0];
            t.plane[n] |= (from.plane[byte & 3] >> l & 1) << l;
        }
    }
    return t;
}

taint align_taint(const wave& w, const op& o, const operand_taint (&in)[4], unsigned unit) {
    u32 amount = 0;
    const taint both = in[0].word[0] | in[1].word[0];
    if (!uniform_value(w, o, 2, amount))
        return taint::every(both.any_byte() | in[2].word[0].any_byte());
    const int bits = static_cast<int>(amount * unit) & 31;
    if (bits == 0) return in[1].word[0];
    return shifted(in[1].word[0], -bits) | shifted(in[0].word[0], 32 - bits);
}

taint bit_field_taint(const wave& w, const op& o, const operand_taint (&in)[4], u32 any) {
    u32 first = 0, width = 0;
    if (!uniform_value(w, o, 1, first) || !uniform_value(w, o, 2, width)) return taint::every(any);
    first &= 31;
    width &= 31;
    u32 mask = 0;
    for (unsigned b = 0; b < 4; ++b)
        if (width && 8 * b < first + width && first <= 8 * b + 7) mask |= in[0].word[0].plane[b];
    return taint::every(mask);
}

/// fma_mix reads each source as f32, or as the half that op_sel picks.
u32 mixed_any(const op& o, const operand_taint (&in)[4]) {
    u32 any = 0;
    for (int i = 0; i < 3; ++i) {
        const taint& t = in[i].word[0];
        if (!(o.sel_hi >> i & 1))
            any |= t.any_byte();
        else
            any |= (o.sel >> i & 1) ? t.high_half() : t.low_half();
    }
    return any;
}

taint result_taint(const wave& w, const op& o, const operand_taint (&in)[4], u32 any) {
    const taint &a = in[0].word[0], &b = in[1].word[0], &c = in[2].word[0];
    switch (o.info->taint_rule) {
    case rule::bytes:
    case rule::packed:
        return is_packed(o.info->src[0]) || is_packed(o.info->src[1])
                   ? taint::of((a | b | c).low_half(), (a | b | c).low_half(),
                               (a | b | c).high_half(), (a | b | c).high_half())
                   : a | b | c;
    case rule::bytes_and:
        return and_taint(w, o, a, b) | c;
    case rule::select:
        return select_taint(w, o, in);
    case rule::shift_left:
        return shift_by(w, o, b, 0, true, a.any_byte());
    case rule::shift_right:
        return shift_by(w, o, b, 0, false, a.any_byte());
    case rule::shift_left_or:
        return shift_by(w, o, a, 1, true, b.any_byte()) | c;
    case rule::permute:
        return permute_taint(w, o, in);
    case rule::align_bits:
        return align_taint(w, o, in, 1);
    case rule::align_bytes:
        return align_taint(w, o, in, 8);
    case rule::bit_field:
        return bit_field_taint(w, o, in, any);
    case rule::pack_halves:
        return taint::of(a.low_half(), a.low_half(), b.low_half(), b.low_half());
    case rule::mix:
        return taint::every(mixed_any(o, in));
    default:
        return taint::every(any);
    }
}

void store_taint(wave& w, u16 index, const taint& value, u32 mask) {
    w.taints[index] = (value & mask) | (w.taints[index] & ~mask);
}

void check_operands(wave& w, const op& o) {
    const instruction& info = *o.info;
    for (int i = 0; i < 4 && info.src[i] != kind::none; ++i) {
        const bool is_destination = info.reads_dst && o.src[i] == o.dst;
        if (!is_destination) check_pending(w, o, o.src[i], words_of(info.src[i]), false);
    }
    if (info.dst != kind::none) check_pending(w, o, o.dst, words_of(info.dst), !info.reads_dst);
    const u16 mask_dst = info.dst == kind::none ? o.dst : o.dst2;
    if (info.mask_out) check_pending(w, o, mask_dst, 1, true);
}

} // namespace

taint permuted_taint(const wave& w, const op& o, const taint& from, u32& invalid) {
    invalid = ~dpp_lanes(w, o).enabled;
    return move_dpp(w, o, from);
}

void propagate(wave& w, const op& o) {
    check_operands(w, o);
    const instruction& info = *o.info;
    operand_taint in[4];
    u32 any = 0, any_low = 0;
    for (int i = 0; i < 4 && info.src[i] != kind::none; ++i) {
        in[i] = read_operand(w, o, i);
        any_low |= in[i].word[0].any_byte();
        any |= in[i].word[0].any_byte() | in[i].word[1].any_byte();
    }
    u32 enabled = w.exec();
    if (o.dpp != dpp_kind::none) enabled &= dpp_lanes(w, o).enabled;
    if (info.mask_out) {
        const u16 index = info.dst == kind::none ? o.dst : o.dst2;
        if (index == scalar(exec_number) && (any & enabled))
            report_poison(w, o, "EXEC", any & enabled);
        else if (index < scalar(discard_number))
            w.taints[index] = taint::of(any & enabled, 0, 0, 0);
    }
    if (info.dst == kind::none) return;
    const taint value = result_taint(w, o, in, any);
    if (words_of(info.dst) == 2) {
        const bool upward = info.taint_rule == rule::carry_up;
        const bool each = info.taint_rule == rule::bytes;
        store_taint(w, o.dst,
                    each ? in[0].word[0] | in[1].word[0] : taint::every(upward ? any_low : any),
                    enabled);
        store_taint(w, static_cast<u16>(o.dst + 1),
                    each ? in[0].word[1] | in[1].word[1] : taint::every(any), enabled);
    } else if (is_half(info.dst)) {
        const u32 bad = value.low_half() & enabled;
        taint t = w.taints[o.dst];
        const unsigned first = (o.sel & 8) ? 2 : 0;
        for (unsigned b = first; b < first + 2; ++b)
            t.plane[b] = (t.plane[b] & ~enabled) | bad;
        w.taints[o.dst] = t;
    } else {
        store_taint(w, o.dst, value, enabled);
    }
}

} // namespace r9v_emulator
