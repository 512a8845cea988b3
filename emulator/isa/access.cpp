// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#include "access.hpp"

#include <algorithm>
#include <bit>

namespace r9v_emulator {
namespace {

/// Four lanes of four words, transposed, into four registers.
void transpose4(const lane_bytes& from, unsigned l, u32 (*to)[lanes]) {
    const auto row = [&](unsigned i) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(from.byte[l + i]));
    };
    const __m128i a = row(0), b = row(1), c = row(2), d = row(3);
    const __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    const __m128i ef = _mm_unpackhi_epi32(a, b), gh = _mm_unpackhi_epi32(c, d);
    const auto put = [&](unsigned i, __m128i x) {
        _mm_store_si128(reinterpret_cast<__m128i*>(&to[i][l]), x);
    };
    put(0, _mm_unpacklo_epi64(ab, cd));
    put(1, _mm_unpackhi_epi64(ab, cd));
    put(2, _mm_unpacklo_epi64(ef, gh));
    put(3, _mm_unpackhi_epi64(ef, gh));
}

void transpose4_back(const u32 (*from)[lanes], unsigned l, lane_bytes& to) {
    const auto row = [&](unsigned i) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(&from[i][l]));
    };
    const __m128i a = row(0), b = row(1), c = row(2), d = row(3);
    const __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    const __m128i ef = _mm_unpackhi_epi32(a, b), gh = _mm_unpackhi_epi32(c, d);
    const auto put = [&](unsigned i, __m128i x) {
        _mm_store_si128(reinterpret_cast<__m128i*>(to.byte[l + i]), x);
    };
    put(0, _mm_unpacklo_epi64(ab, cd));
    put(1, _mm_unpackhi_epi64(ab, cd));
    put(2, _mm_unpacklo_epi64(ef, gh));
    put(3, _mm_unpackhi_epi64(ef, gh));
}

/// Most distinct dwords that fall into one bank, over the lanes [first, last).
u32 most_in_a_bank(const lane_pointers& at, unsigned first, unsigned last, unsigned dwords) {
    u64 seen[32][8];
    u32 count[32] = {};
    u32 most = 1;
    for (unsigned l = first; l < last; ++l) {
        if (!(at.mask >> l & 1)) continue;
        for (unsigned d = 0; d < dwords; ++d) {
            const u64 dword = at.address[l] / 4 + d;
            const unsigned bank = dword % 32;
            u32& n = count[bank];
            bool known = false;
            for (u32 i = 0; i < n && i < 8; ++i)
                known = known || seen[bank][i] == dword;
            if (known) continue;
            if (n < 8) seen[bank][n] = dword;
            most = std::max(most, ++n);
        }
    }
    return most;
}

/// Bank sets of the lanes do not meet, which is the common case and quick to see. `width` is a
/// power of two, so a lane's banks start at a multiple of its width.
bool all_distinct(const lane_pointers& at, unsigned first, unsigned last, unsigned width) {
    const u32 group = (last - first == 32 ? all_lanes : (1u << (last - first)) - 1) << first;
    if ((at.mask & group) != group) return false;
    const __m128i shift = _mm_cvtsi32_si128(std::countr_zero(width));
    const __m256i slots = _mm256_set1_epi64x(128 / width - 1), one = _mm256_set1_epi64x(1);
    __m256i taken = _mm256_setzero_si256();
    for (unsigned l = first; l < last; l += 4) {
        const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&at.address[l]));
        const __m256i slot = _mm256_and_si256(_mm256_srl_epi64(a, shift), slots);
        taken = _mm256_or_si256(taken, _mm256_sllv_epi64(one, slot));
    }
    const __m128i half =
        _mm_or_si128(_mm256_castsi256_si128(taken), _mm256_extracti128_si256(taken, 1));
    const auto set = static_cast<u64>(_mm_extract_epi64(half, 0) | _mm_extract_epi64(half, 1));
    return static_cast<unsigned>(std::popcount(set)) == last - first;
}

/// As count_lines, where all lanes are on, no access straddles two lines and lines do not come
/// back; 0 where they do.
u32 count_ascending_lines(const lane_pointers& at, unsigned bytes) {
    u64 straddles = 0, returns = 0, before = at.address[0] >> 7;
    u32 n = 1;
    for (unsigned l = 0; l < lanes; ++l) {
        const u64 line = at.address[l] >> 7;
        straddles |= line ^ ((at.address[l] + bytes - 1) >> 7);
        returns |= line < before;
        n += line != before;
        before = line;
    }
    return straddles || returns ? 0 : n;
}

} // namespace

void bytes_to_words(const lane_bytes& from, unsigned words, u32 (*to)[lanes], u32 mask) {
    if (words == 4 && mask == all_lanes) {
        for (unsigned l = 0; l < lanes; l += 4)
            transpose4(from, l, to);
        return;
    }
    alignas(64) u32 all[4][lanes];
    for (unsigned l = 0; l < lanes; l += 4)
        transpose4(from, l, all);
    for (unsigned i = 0; i < words; ++i)
        merge_words(to[i], all[i], mask);
}

void words_to_bytes(const u32 (*from)[lanes], unsigned words, lane_bytes& to) {
    if (words == 4) {
        for (unsigned l = 0; l < lanes; l += 4)
            transpose4_back(from, l, to);
        return;
    }
    for (unsigned i = 0; i < words; ++i)
        for (unsigned l = 0; l < lanes; ++l)
            std::memcpy(&to.byte[l][4 * i], &from[i][l], 4);
}

void taints_from_shadow(const lane_pointers& at, unsigned bytes, taint (&words)[4]) {
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        for (unsigned b = 0; b < bytes; ++b)
            if (at.shadow[l][b] == static_cast<u8>(shadow::unwritten))
                words[b / 4].plane[b % 4] |= 1u << l;
    }
}

void shadow_from_taints(const lane_pointers& at, unsigned bytes, const taint (&words)[4]) {
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        for (unsigned b = 0; b < bytes; ++b)
            at.shadow[l][b] = static_cast<u8>(words[b / 4].plane[b % 4] >> l & 1 ? shadow::unwritten
                                                                                 : shadow::written);
    }
}

bank_passes count_passes(const lane_pointers& at, unsigned bytes) {
    const unsigned width = std::max(4u, std::bit_ceil(bytes));
    const unsigned per_pass = 128 / width;
    bank_passes passes{0, 0};
    for (unsigned first = 0; first < lanes; first += per_pass) {
        const unsigned last = first + per_pass;
        const u32 group = (per_pass == 32 ? all_lanes : (1u << per_pass) - 1) << first;
        if (!(at.mask & group)) continue;
        ++passes.ideal;
        passes.taken += all_distinct(at, first, last, width)
                            ? 1
                            : most_in_a_bank(at, first, last, (bytes + 3) / 4);
    }
    return passes;
}

u32 count_lines(const lane_pointers& at, unsigned bytes) {
    if (at.mask == all_lanes)
        if (const u32 quick = count_ascending_lines(at, bytes)) return quick;
    u64 lines[2 * lanes];
    u32 n = 0;
    bool ascending = true;
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        const u64 first = at.address[l] >> 7, last = (at.address[l] + bytes - 1) >> 7;
        for (u64 line = first; line <= last; ++line) {
            if (n && lines[n - 1] == line) continue;
            ascending = ascending && (n == 0 || lines[n - 1] < line);
            lines[n++] = line;
        }
    }
    if (ascending) return n;
    std::sort(lines, lines + n);
    return static_cast<u32>(std::unique(lines, lines + n) - lines);
}

void check_load_destination(wave& w, const op& o, outstanding_queue& queue, u16 first,
                            unsigned count) {
    const bool local = &queue == &w.locals;
    for (unsigned n = 0; n < count; ++n) {
        const u16 index = static_cast<u16>(first + n);
        const u8 elsewhere = local ? static_cast<u8>(w.pending[index] - w.pending_locals[index])
                                   : w.pending_locals[index];
        if (elsewhere) check_pending(w, o, index, 1, true);
    }
}

void set_after(wave& w, u16 index, const taint& value, u32 mask, u32 planes) {
    const taint old = w.pending[index] ? w.after[index] : w.taints[index];
    taint& t = w.after[index];
    for (unsigned b = 0; b < 4; ++b) {
        const u32 m = planes >> b & 1 ? mask : 0;
        t.plane[b] = (value.plane[b] & m) | (old.plane[b] & ~m);
    }
}

void check_data(wave& w, const op& o, int source, unsigned words) {
    check_pending(w, o, o.src[source], words, false);
}

void check_races(wave& w, const op& o, const lane_pointers& at, unsigned bytes, bool write,
                 bool atomic) {
    const u8* base = w.owner->lds.bytes.data();
    const u32 mask = at.mask & at.lds_mask;
    u32 offsets[lanes];
    for (unsigned l = 0; l < lanes; ++l)
        if (mask >> l & 1)
            offsets[l] = static_cast<u32>(reinterpret_cast<const u8*>(at.data[l]) - base);
    check_lds_accesses(w, o, mask, offsets, bytes, write, atomic);
}

} // namespace r9v_emulator
