// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Order of LDS accesses between the waves of a workgroup. A signature holds (signals + 1) << 8 |
// wave of an access; the access is ordered before one of this wave when the other wave signalled a
// barrier after it and this wave has waited for that barrier: signature < (waits + 1) << 8. One
// compare also covers split barriers.
#include "check.hpp"

namespace r9v_emulator {
namespace {

constexpr u32 wave_bits = 0x3f, many_waves = 0x3f, atomic_bit = 0x40;
constexpr u32 split_word = 0x7fffffff;  // the bytes of this dword have signatures of their own

struct access {
    u32 own;       ///< signature of this access
    u32 limit;     ///< older than this is ordered
    bool write, atomic;
};

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
    if (!a.atomic || writers < a.limit || (writers & wave_bits) == (a.own & wave_bits)) return a.own;
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
        report_race(w, o, lane, offset, writers, a.write ? "write after write" : "read after write");
    else if (a.write && conflicts(a, readers))
        report_race(w, o, lane, offset, readers, "write after read");
    if (a.write) writers = joined_writers(a, writers);
    else readers = joined_readers(a, readers);
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

}  // namespace

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
    const access a{(w.signals + 1) << 8 | w.id | (atomic ? atomic_bit : 0), (w.waits + 1) << 8,
                   write, atomic};
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

}  // namespace r9v_emulator
