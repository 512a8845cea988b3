// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "vector.hpp"

#include "dpp.hpp"
#include "float_mode.hpp"
#include <algorithm>

namespace r9v_emulator {
namespace {

u32 flushed_half(u32 bits) {
    return (bits & 0x7c00) ? bits : bits & 0x8000;
}
/// A 16-bit operand: op_sel picks the half, modifiers act on bit 15.
void modify_half(const op& o, int i, kind k, const u32* from, u32* to) {
    const unsigned shift = (o.sel >> i & 1) ? 16 : 0;
    const bool floating = k != kind::b16;
    const u32 clear = floating && (o.abs >> i & 1) ? 0x8000u : 0;
    const u32 flip = floating && (o.neg >> i & 1) ? 0x8000u : 0;
    for (unsigned l = 0; l < lanes; ++l)
        to[l] = ((from[l] >> shift & 0xffffu & ~clear) ^ flip);
    if ((o.flush & 1) && k == kind::f16)
        for (unsigned l = 0; l < lanes; ++l)
            to[l] = flushed_half(to[l]);
}

/// A packed operand: op_sel and op_sel_hi pick the source half of each half, neg_lo and neg_hi
/// flip.
void modify_pair(const op& o, int i, kind k, const u32* from, u32* to) {
    const unsigned low = (o.sel >> i & 1) ? 16 : 0;
    const unsigned high = (o.sel_hi >> i & 1) ? 16 : 0;
    const bool floating = k != kind::packed_b16;
    const u32 flip =
        floating ? ((o.neg >> i & 1) ? 0x8000u : 0) | ((o.neg_hi >> i & 1) ? 0x80000000u : 0) : 0;
    for (unsigned l = 0; l < lanes; ++l)
        to[l] = ((from[l] >> low & 0xffffu) | (from[l] >> high) << 16) ^ flip;
    if ((o.flush & 1) && k == kind::packed_f16)
        for (unsigned l = 0; l < lanes; ++l)
            to[l] = flushed_half(to[l] & 0xffff) | flushed_half(to[l] >> 16) << 16;
}

template<class T>
T modified_output(T x, unsigned omod, bool clamp) {
    static constexpr float factor[4] = {1.0f, 2.0f, 4.0f, 0.5f};
    if (omod) {
        x = static_cast<T>(x * static_cast<T>(factor[omod & 3]));
        if (x == T(0)) x = T(0); // -0, too
    }
    if (clamp) x = x >= T(1) ? T(1) : x > T(0) ? x : T(0);
    return x;
}

u32 modified_half(const op& o, unsigned omod, u32 bits) {
    const float x = static_cast<float>(bits_as<half>(static_cast<u16>(bits)));
    const bool clamp = o.flags & flag_clamp;
    if (omod || clamp) bits = bits_as<u16>(static_cast<half>(modified_output(x, omod, clamp)));
    return o.flush & 2 ? flushed_half(bits) : bits;
}

} // namespace

const u32* modified_source(wave& w, const op& o, int i, unsigned word, kind k, const u32* from,
                           u32* to) {
    if (o.dpp != dpp_kind::none && i == 0) {
        lane_block moved;
        const dpp_sources lanes_of = dpp_lanes(w, o);
        for (unsigned l = 0; l < lanes; ++l)
            moved.word[l] = lanes_of.from[l] < 0 ? 0 : from[lanes_of.from[l]];
        std::copy_n(moved.word, lanes, to);
        from = to;
    }
    switch (k) {
    case kind::b16:
    case kind::f16:
    case kind::bf16:
        modify_half(o, i, k, from, to);
        return to;
    case kind::packed_f16:
    case kind::packed_bf16:
    case kind::packed_b16:
        modify_pair(o, i, k, from, to);
        return to;
    case kind::f32:
    case kind::f64:
        break;
    default:
        return from;
    }
    const bool sign_here = k == kind::f32 || word == 1;
    const u32 clear = sign_here && (o.abs >> i & 1) ? 0x80000000u : 0;
    const u32 flip = sign_here && (o.neg >> i & 1) ? 0x80000000u : 0;
    if (!clear && !flip) return from;
    for (unsigned l = 0; l < lanes; ++l)
        to[l] = (from[l] & ~clear) ^ flip;
    return to;
}

u32 write_mask(const wave& w, const op& o) {
    if (o.dpp == dpp_kind::none) [[likely]]
        return w.exec();
    return w.exec() & dpp_lanes(w, o).enabled;
}

void finish_result(const wave& w, const op& o, kind k, u32* low, u32* high) {
    const bool clamp = o.flags & flag_clamp;
    // Where denormal results are kept, output modifiers do nothing.
    const unsigned omod = keeps_denormal_results(w.mode, k) ? 0 : o.omod;
    if (!clamp && !omod && !o.flush) return;
    for (unsigned l = 0; l < lanes; ++l) {
        if (k == kind::f32) {
            low[l] = bits_as<u32>(modified_output(bits_as<float>(low[l]), omod, clamp));
        } else if (k == kind::f16) {
            low[l] = modified_half(o, omod, low[l] & 0xffff);
        } else if (k == kind::f64) {
            const double y = modified_output(from_words<double>(low[l], high[l]), omod, clamp);
            low[l] = low_word(y);
            high[l] = high_word(y);
        } else if (k == kind::packed_f16) {
            low[l] = modified_half(o, omod, low[l] & 0xffff) | modified_half(o, omod, low[l] >> 16)
                                                                   << 16;
        }
    }
}

void spread_mask(u32* to, u32 mask) {
    for (unsigned l = 0; l < lanes; ++l)
        to[l] = 0u - (mask >> l & 1);
}

u32 gather_mask(const u32* from) {
    u32 mask = 0;
    for (unsigned l = 0; l < lanes; l += 8) {
        const __m256 x = _mm256_load_ps(reinterpret_cast<const float*>(from + l));
        mask |= static_cast<u32>(_mm256_movemask_ps(x)) << l;
    }
    return mask;
}

void merge_words(u32* to, const u32* from, u32 mask) {
    if (mask == all_lanes) {
        std::memcpy(to, from, lanes * sizeof(u32));
        return;
    }
    for (unsigned l = 0; l < lanes; ++l) {
        const u32 take = 0u - (mask >> l & 1);
        to[l] = (from[l] & take) | (to[l] & ~take);
    }
}

void merge_halves(u32* to, const u32* from, u32 mask, bool high) {
    const unsigned shift = high ? 16 : 0;
    const u32 field = high ? 0xffff0000u : 0xffffu;
    for (unsigned l = 0; l < lanes; ++l) {
        const u32 take = (0u - (mask >> l & 1)) & field;
        to[l] = (from[l] << shift & take) | (to[l] & ~take);
    }
}

void write_scalar(wave& w, u16 index, u32 value) {
    w.s[index - scalar_first] = value;
}

dpp_sources dpp_lanes(const wave& w, const op& o) {
    dpp_sources out;
    out.enabled = 0;
    const u32 exec = w.exec();
    const u32 rows = o.aux & 0xf, banks = o.aux >> 4 & 0xf;
    const bool fetch_inactive = o.flags & flag_fetch_inactive;
    for (int l = 0; l < static_cast<int>(lanes); ++l) {
        int from = dpp_source_lane(o, l);
        if (from >= 0 && !fetch_inactive && !(exec >> from & 1)) from = -1;
        bool on = from >= 0 || (o.flags & flag_bound_zero) || o.dpp == dpp_kind::lanes8;
        if (o.dpp == dpp_kind::row16)
            on = on && (rows >> (l / 16) & 1) && (banks >> (l / 4 % 4) & 1);
        out.from[l] = from;
        if (on) out.enabled |= 1u << l;
    }
    return out;
}

int dpp_source_lane(const op& o, int l) {
    if (o.dpp == dpp_kind::lanes8) return (l & ~7) | (o.offset >> (3 * (l & 7)) & 7);
    const int control = o.offset, n = control & 15, row = l & ~15, at = l & 15;
    switch (control >> 4) {
    case 0x10:
        return at + n < 16 ? l + n : -1; // row_shl
    case 0x11:
        return at - n >= 0 ? l - n : -1; // row_shr
    case 0x12:
        return row | ((at - n) & 15); // row_ror
    case 0x14:
        return n == 0 ? (row | (15 - at)) : (l ^ 7); // row_mirror, row_half_mirror
    case 0x15:
        return row | n; // row_share
    case 0x16:
        return row | (at ^ n); // row_xmask
    default:
        return (l & ~3) | (control >> (2 * (l & 3)) & 3); // quad_perm
    }
}

} // namespace r9v_emulator
