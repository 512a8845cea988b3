// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Order of LDS accesses between the waves of a workgroup. A signature holds (signals + 1) << 8 |
// wave of an access; the access is ordered before one of this wave when the other wave signalled a
// barrier after it and this wave has waited for that barrier: signature < (waits + 1) << 8. One
// compare also covers split barriers.
#include "check.hpp"
#include <bit>

namespace r9v_emulator {
namespace {

constexpr u32 wave_bits = 0x3f, many_waves = 0x3f, atomic_bit = 0x40;
constexpr u32 split_word = 0x7fffffff; // the bytes of this dword have signatures of their own

struct access {
    u32 own;   ///< signature of this access
    u32 limit; ///< older than this is ordered
    bool write, atomic;
};

access access_of(const wave& w, bool write, bool atomic) {
    return {(w.signals + 1) << 8 | w.id | (atomic ? atomic_bit : 0), (w.waits + 1) << 8, write,
            atomic};
}

bool conflicts(const access& a, u32 other) {
    if (other < a.limit) return false;
    if ((other & wave_bits) == (a.own & wave_bits)) return false;
    return !(a.atomic && (other & atomic_bit));
}

u32 joined_readers(const access& a, u32 readers) {
    if (readers < a.limit || (readers & wave_bits) == (a.own & wave_bits)) return a.own;
    return (std::max(a.own, readers) & ~wave_bits) | many_waves;
}

u32 joined_writers(const access& a, u32 writers) {
    // Concurrent atomics of several waves: any plain access of a wave then conflicts.
    if (!a.atomic || writers < a.limit || (writers & wave_bits) == (a.own & wave_bits))
        return a.own;
    return (std::max(a.own, writers) & ~wave_bits) | many_waves;
}

void report_race(wave& w, const op& o, int lane, u32 offset, u32 other, std::string_view kind) {
    const u32 id = other & wave_bits;
    const std::string who = id == many_waves ? "several waves" : "wave " + std::to_string(id);
    report(w, o, "LDS race", lane, offset,
           std::string(kind) + " at LDS offset " + std::to_string(offset) + ": " + who +
               " has accessed it with no barrier between");
}

/// True when the access may go on to its marks.
void check_unit(wave& w, const op& o, const access& a, int lane, u32 offset, u32& writers,
                u32& readers) {
    if (conflicts(a, writers))
        report_race(w, o, lane, offset, writers,
                    a.write ? "write after write" : "read after write");
    else if (a.write && conflicts(a, readers))
        report_race(w, o, lane, offset, readers, "write after read");
    if (a.write)
        writers = joined_writers(a, writers);
    else
        readers = joined_readers(a, readers);
}

void split(lds_state& lds, u32 word) {
    if (lds.byte_writers.empty()) {
        lds.byte_writers.assign(lds.writers.size() * 4, 0);
        lds.byte_readers.assign(lds.writers.size() * 4, 0);
    }
    if (lds.writers[word] == split_word) return;
    for (u32 b = 0; b < 4; ++b) {
        lds.byte_writers[4 * word + b] = lds.writers[word];
        lds.byte_readers[4 * word + b] = lds.readers[word];
    }
    lds.writers[word] = lds.readers[word] = split_word;
}

void check_bytes(wave& w, const op& o, const access& a, int lane, u32 first, u32 last) {
    lds_state& lds = w.owner->lds;
    for (u32 offset = first; offset < last; ++offset) {
        split(lds, offset / 4);
        check_unit(w, o, a, lane, offset, lds.byte_writers[offset], lds.byte_readers[offset]);
    }
}

} // namespace

void begin_lds_checks(group& g) {
    lds_state& lds = g.lds;
    std::fill(lds.writers.begin(), lds.writers.end(), 0u);
    std::fill(lds.readers.begin(), lds.readers.end(), 0u);
    lds.byte_writers.clear();
    lds.byte_readers.clear();
}

void check_lds_access(wave& w, const op& o, int lane, u32 offset, u32 bytes, bool write,
                      bool atomic) {
    lds_state& lds = w.owner->lds;
    const access a = access_of(w, write, atomic);
    if ((offset | bytes) & 3) {
        check_bytes(w, o, a, lane, offset, offset + bytes);
        return;
    }
    for (u32 word = offset / 4; word < (offset + bytes) / 4; ++word) {
        u32& writers = lds.writers[word];
        u32& readers = lds.readers[word];
        if (writers == split_word) {
            check_bytes(w, o, a, lane, 4 * word, 4 * word + 4);
            // A whole write settles the word again.
            if (write) writers = a.own, readers = 0;
            continue;
        }
        check_unit(w, o, a, lane, 4 * word, writers, readers);
    }
}

namespace {

template<unsigned Words>
__m128i load_words(const u32* from) {
    if constexpr (Words == 4)
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    else if constexpr (Words == 2)
        return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    else
        return _mm_cvtsi32_si128(static_cast<int>(*from));
}
template<unsigned Words>
void store_words(u32* to, __m128i value) {
    if constexpr (Words == 4)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
    else if constexpr (Words == 2)
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to), value);
    else
        *to = static_cast<u32>(_mm_cvtsi128_si32(value));
}

/// The common case, a whole access at once: every earlier access is ordered or this wave's own.
template<unsigned Words>
void check_whole_words(wave& w, const op& o, u32 mask, const u32 (&offsets)[lanes], bool write) {
    lds_state& lds = w.owner->lds;
    const access a = access_of(w, write, false);
    const __m128i limit = _mm_set1_epi32(static_cast<int>(a.limit));
    const __m128i id = _mm_set1_epi32(static_cast<int>(w.id));
    const __m128i id_bits = _mm_set1_epi32(wave_bits);
    const __m128i own = _mm_set1_epi32(static_cast<int>(a.own));
    const auto ordered = [&](__m128i x) {
        return _mm_or_si128(_mm_cmpgt_epi32(limit, x),
                            _mm_cmpeq_epi32(_mm_and_si128(x, id_bits), id));
    };
    for (u32 rest = mask; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        const u32 word = offsets[l] / 4;
        const __m128i readers = load_words<Words>(&lds.readers[word]);
        const __m128i reads_ordered = ordered(readers);
        __m128i fine = ordered(load_words<Words>(&lds.writers[word]));
        if (write) fine = _mm_and_si128(fine, reads_ordered);
        if ((offsets[l] & 3) || _mm_movemask_epi8(fine) != 0xffff) [[unlikely]] {
            check_lds_access(w, o, l, offsets[l], 4 * Words, write, false);
        } else if (write) {
            store_words<Words>(&lds.writers[word], own);
        } else {
            // Readers of several waves at one time count as many.
            const __m128i joined = _mm_or_si128(_mm_max_epi32(own, readers), id_bits);
            store_words<Words>(&lds.readers[word], _mm_blendv_epi8(joined, own, reads_ordered));
        }
    }
}

} // namespace

void check_lds_accesses(wave& w, const op& o, u32 mask, const u32 (&offsets)[lanes], u32 bytes,
                        bool write, bool atomic) {
    if (w.owner->wave_count < 2) return;
    if (!atomic && bytes == 16) return check_whole_words<4>(w, o, mask, offsets, write);
    if (!atomic && bytes == 8) return check_whole_words<2>(w, o, mask, offsets, write);
    if (!atomic && bytes == 4) return check_whole_words<1>(w, o, mask, offsets, write);
    for (u32 rest = mask; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        check_lds_access(w, o, l, offsets[l], bytes, write, atomic);
    }
}

} // namespace r9v_emulator
