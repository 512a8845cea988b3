// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// LDS loads and stores, two-address forms, and the lane exchanges that share the LDS counter.
#include "memory_ops.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

template<unsigned Bytes, unsigned Stride, bool Strict>
void load_two(wave& w, const op& o) {
    constexpr unsigned words = Bytes / 4;
    const u32 offsets[2] = {static_cast<u32>(o.offset) & 0xff,
                            static_cast<u32>(o.offset) >> 8 & 0xff};
    if constexpr (Strict) check_load_destination(w, o, w.locals, o.dst, 2 * words);
    alignas(64) u32 result[4][lanes];
    for (unsigned half = 0; half < 2; ++half) {
        lane_pointers at;
        op one = o;
        one.offset = static_cast<i32>(offsets[half] * Bytes * Stride);
        resolve<Strict>(w, one, address_space::lds, Bytes, false, at);
        if constexpr (Strict) check_races(w, o, at, Bytes, false, false);
        lane_bytes data;
        const bool clean = read_lanes<Bytes>(at, data);
        count_load(w, address_space::lds, at, Bytes);
        bytes_to_words(data, words, &result[half * words], all_lanes);
        if constexpr (Strict) {
            taint found[4];
            if (!clean) taints_from_shadow(at, Bytes, found);
            for (unsigned n = 0; n < words; ++n)
                set_after(w, static_cast<u16>(o.dst + half * words + n), found[n], w.exec());
        }
    }
    // The address register may be among the results, so they land only now.
    for (unsigned n = 0; n < 2 * words; ++n)
        merge_words(w.v[o.dst + n], result[n], w.exec());
    if constexpr (Strict) issue(w, o, w.locals, o.dst, 2 * words, true);
}

template<unsigned Bytes, unsigned Stride, bool Strict>
void store_two(wave& w, const op& o) {
    constexpr unsigned words = Bytes / 4;
    const u32 offsets[2] = {static_cast<u32>(o.offset) & 0xff,
                            static_cast<u32>(o.offset) >> 8 & 0xff};
    for (unsigned half = 0; half < 2; ++half) {
        const u16 from = half ? o.src[3] : o.src[1];
        lane_pointers at;
        op one = o;
        one.offset = static_cast<i32>(offsets[half] * Bytes * Stride);
        resolve<Strict>(w, one, address_space::lds, Bytes, true, at);
        if constexpr (Strict) {
            check_store_data(w, o, from, words);
            check_races(w, o, at, Bytes, true, false);
        }
        lane_bytes data;
        words_to_bytes(&w.v[from], words, data);
        write_lanes<Bytes>(at, data);
        count_store(w, address_space::lds, at, Bytes);
        if constexpr (Strict) store_taints(w, o, transfer{address_space::lds, Bytes}, from, at);
    }
    if constexpr (Strict) issue(w, o, w.locals, 0, 0, true);
}

/// Source lane of each lane for ds_swizzle; the offset selects one of four patterns.
u32 swizzled_lane(u32 offset, u32 lane) {
    if (offset >= 0xe000) { // FFT
        const u32 mask = offset & 31;
        u32 reversed = 0;
        for (unsigned i = 0; i < 5; ++i)
            reversed |= (lane >> i & 1) << (4 - i);
        return (reversed >> __builtin_popcount(mask)) | (lane & mask);
    }
    if (offset >= 0xc000) { // rotate
        const u32 mask = offset & 31, by = offset >> 5 & 31;
        const bool right = offset >> 10 & 1;
        const u32 moved = right ? lane - by : lane + by;
        return (lane & mask) | (moved & ~mask & 31);
    }
    if (offset & 0x8000) return (lane & ~3u) | (offset >> (2 * (lane & 3)) & 3); // quad permute
    const u32 and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
    return ((lane & and_mask) | or_mask) ^ xor_mask;
}

struct exchange {
    lane_block word;
    taint poison;
};

/// Takes lane `from[l]` of the source into lane l; a source lane that is off gives zero.
template<bool Strict>
exchange gather_from(const wave& w, u16 source, const u32 (&from)[lanes]) {
    exchange out;
    for (unsigned l = 0; l < lanes; ++l) {
        const bool on = w.exec() >> from[l] & 1;
        out.word.word[l] = on ? w.v[source][from[l]] : 0;
        for (unsigned b = 0; Strict && on && b < 4; ++b)
            out.poison.plane[b] |= (w.taints[source].plane[b] >> from[l] & 1) << l;
    }
    return out;
}

template<bool Strict>
void finish_exchange(wave& w, const op& o, const exchange& e, u32 extra) {
    merge_words(w.v[o.dst], e.word.word, w.exec());
    if constexpr (Strict) {
        check_load_destination(w, o, w.locals, o.dst, 1);
        set_after(w, o.dst, e.poison | taint::every(extra), w.exec());
        issue(w, o, w.locals, o.dst, 1, false);
    }
}

template<bool Strict>
void swizzle(wave& w, const op& o) {
    if constexpr (Strict) check_pending(w, o, o.src[0], 1, false);
    u32 from[lanes];
    for (u32 l = 0; l < lanes; ++l)
        from[l] = swizzled_lane(static_cast<u32>(o.offset), l);
    finish_exchange<Strict>(w, o, gather_from<Strict>(w, o.src[0], from), 0);
}

template<bool Strict>
void pull_permute(wave& w, const op& o) {
    if constexpr (Strict) {
        check_pending(w, o, o.src[0], 1, false);
        check_pending(w, o, o.src[1], 1, false);
    }
    u32 from[lanes];
    for (u32 l = 0; l < lanes; ++l)
        from[l] = (w.v[o.src[0]][l] + static_cast<u32>(o.offset)) / 4 % 32;
    const u32 extra = Strict ? w.taints[o.src[0]].any_byte() & w.exec() : 0;
    finish_exchange<Strict>(w, o, gather_from<Strict>(w, o.src[1], from), extra);
}

template<bool Strict>
void push_permute(wave& w, const op& o) {
    if constexpr (Strict) {
        check_pending(w, o, o.src[0], 1, false);
        check_pending(w, o, o.src[1], 1, false);
    }
    exchange e;
    std::memset(e.word.word, 0, sizeof e.word.word);
    for (u32 l = 0; l < lanes; ++l) {
        if (!(w.exec() >> l & 1)) continue;
        const u32 to = (w.v[o.src[0]][l] + static_cast<u32>(o.offset)) / 4 % 32;
        e.word.word[to] = w.v[o.src[1]][l];
        for (unsigned b = 0; Strict && b < 4; ++b)
            e.poison.plane[b] =
                (e.poison.plane[b] & ~(1u << to)) | (w.taints[o.src[1]].plane[b] >> l & 1) << to;
    }
    const u32 extra = Strict && (w.taints[o.src[0]].any_byte() & w.exec()) ? all_lanes : 0;
    finish_exchange<Strict>(w, o, e, extra);
}

constexpr instruction entry(std::string_view name, op_class cls, handler plain, handler strict,
                            kind dst, kind address, kind data = kind::none,
                            kind second = kind::none) {
    instruction e{name, format::memory_lds, cls, plain, strict};
    e.dst = dst;
    e.src[0] = address;
    e.src[1] = data;
    e.src[3] = second;
    return e;
}

template<unsigned Bytes, widening To = widening::words>
constexpr instruction load_entry(std::string_view name) {
    return load_op<transfer{address_space::lds, Bytes, To}>(name, format::memory_lds,
                                                            op_class::lds_load);
}
template<unsigned Bytes, bool High = false>
constexpr instruction store_entry(std::string_view name) {
    return store_op<transfer{address_space::lds, Bytes, widening::words, High}>(
        name, format::memory_lds, op_class::lds_store);
}
template<unsigned Bytes, unsigned Stride>
constexpr instruction load_two_entry(std::string_view name) {
    return entry(name, op_class::lds_load, &load_two<Bytes, Stride, false>,
                 &load_two<Bytes, Stride, true>, kind_of_words(2 * Bytes), kind::b32);
}
template<unsigned Bytes, unsigned Stride>
constexpr instruction store_two_entry(std::string_view name) {
    return entry(name, op_class::lds_store, &store_two<Bytes, Stride, false>,
                 &store_two<Bytes, Stride, true>, kind::none, kind::b32, kind_of_words(Bytes),
                 kind_of_words(Bytes));
}

constexpr instruction table[] = {
    load_entry<1, widening::zero>("ds_load_u8"),
    load_entry<1, widening::sign>("ds_load_i8"),
    load_entry<2, widening::zero>("ds_load_u16"),
    load_entry<2, widening::sign>("ds_load_i16"),
    load_entry<1, widening::low_half_zero>("ds_load_u8_d16"),
    load_entry<1, widening::low_half_sign>("ds_load_i8_d16"),
    load_entry<2, widening::low_half_zero>("ds_load_u16_d16"),
    load_entry<1, widening::high_half_zero>("ds_load_u8_d16_hi"),
    load_entry<1, widening::high_half_sign>("ds_load_i8_d16_hi"),
    load_entry<2, widening::high_half_zero>("ds_load_u16_d16_hi"),
    load_entry<4>("ds_load_b32"),
    load_entry<8>("ds_load_b64"),
    load_entry<12>("ds_load_b96"),
    load_entry<16>("ds_load_b128"),
    store_entry<1>("ds_store_b8"),
    store_entry<2>("ds_store_b16"),
    store_entry<1, true>("ds_store_b8_d16_hi"),
    store_entry<2, true>("ds_store_b16_d16_hi"),
    store_entry<4>("ds_store_b32"),
    store_entry<8>("ds_store_b64"),
    store_entry<12>("ds_store_b96"),
    store_entry<16>("ds_store_b128"),
    load_two_entry<4, 1>("ds_load_2addr_b32"),
    load_two_entry<8, 1>("ds_load_2addr_b64"),
    load_two_entry<4, 64>("ds_load_2addr_stride64_b32"),
    load_two_entry<8, 64>("ds_load_2addr_stride64_b64"),
    store_two_entry<4, 1>("ds_store_2addr_b32"),
    store_two_entry<8, 1>("ds_store_2addr_b64"),
    store_two_entry<4, 64>("ds_store_2addr_stride64_b32"),
    store_two_entry<8, 64>("ds_store_2addr_stride64_b64"),
    entry("ds_swizzle_b32", op_class::other, &swizzle<false>, &swizzle<true>, kind::b32, kind::b32),
    entry("ds_bpermute_b32", op_class::other, &pull_permute<false>, &pull_permute<true>, kind::b32,
          kind::b32, kind::b32),
    entry("ds_permute_b32", op_class::other, &push_permute<false>, &push_permute<true>, kind::b32,
          kind::b32, kind::b32),
};

} // namespace

instruction_table lds_table() {
    return table;
}

} // namespace r9v_emulator
