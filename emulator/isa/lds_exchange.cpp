// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// LDS read-modify-write with two data operands or two addresses.
#include "memory_ops.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

template<class T>
T operand_of(const wave& w, u16 first, unsigned lane) {
    return from_words<T>(w.v[first][lane], sizeof(T) == 8 ? w.v[first + 1][lane] : 0);
}

template<bool Strict>
void check_access(wave& w, const op& o, const lane_pointers& at, unsigned bytes) {
    if constexpr (Strict) {
        check_races(w, o, at, bytes, true, true);
        taint memory_taint[4];
        taints_from_shadow(at, bytes, memory_taint);
        u32 bad = 0;
        for (const taint& t : memory_taint)
            bad |= t.any_byte();
        for (const int source : {1, 3}) {
            if (o.src[source] >= vector_count) continue;
            check_store_data(w, o, o.src[source], words_of(o.info->src[source]));
            for (unsigned n = 0; n < words_of(o.info->src[source]); ++n)
                bad |= w.taints[o.src[source] + n].any_byte();
        }
        if (bad & at.mask) report_poison(w, o, "an atomic", bad & at.mask);
    }
}

/// Gives `words` words a lane to the destination, as loaded.
template<bool Strict>
void give_back(wave& w, const op& o, const u32 (*old)[lanes], unsigned words) {
    if constexpr (Strict) check_load_destination(w, o, w.locals, o.dst, words);
    for (unsigned n = 0; n < words; ++n) {
        merge_words(w.v[o.dst + n], old[n], w.exec());
        if constexpr (Strict) set_after(w, static_cast<u16>(o.dst + n), taint{}, w.exec());
    }
    if constexpr (Strict) issue(w, o, w.locals, o.dst, words, true);
}

template<class T>
T replace(const lane_pointers& at, unsigned lane, T (*combine)(T, T, T), T first, T second) {
    T old;
    std::memcpy(&old, at.data[lane], sizeof old);
    const T made = combine(old, first, second);
    std::memcpy(at.data[lane], &made, sizeof made);
    std::memset(at.shadow[lane], 0xff, sizeof made);
    return old;
}

template<class T, T (*Combine)(T, T, T), bool Returns, bool Strict>
void combine_two(wave& w, const op& o) {
    lane_pointers at;
    resolve<Strict>(w, o, address_space::lds, sizeof(T), true, at);
    check_access<Strict>(w, o, at, sizeof(T));
    alignas(64) u32 old[2][lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        const T before = replace<T>(at, l, Combine, operand_of<T>(w, o.src[1], l),
                                    operand_of<T>(w, o.src[3], l));
        old[0][l] = low_word(before);
        old[1][l] = high_word(before);
    }
    count_store(w, address_space::lds, at, sizeof(T));
    if constexpr (Returns)
        give_back<Strict>(w, o, old, sizeof(T) / 4);
    else if constexpr (Strict)
        issue(w, o, w.locals, 0, 0, true);
}

template<class T>
T take(T, T value, T) {
    return value;
}
template<class T>
T mask_or(T old, T mask, T value) {
    return (old & ~mask) | value;
}
u32 wrap(u32 old, u32 limit, u32 step) {
    return old >= limit ? old - limit : old + step;
}

template<class T, unsigned Stride, bool Strict>
void exchange_two(wave& w, const op& o) {
    alignas(64) u32 old[4][lanes];
    for (unsigned half = 0; half < 2; ++half) {
        op one = o;
        one.offset = static_cast<i32>((static_cast<u32>(o.offset) >> (8 * half) & 0xff) *
                                      sizeof(T) * Stride);
        lane_pointers at;
        resolve<Strict>(w, one, address_space::lds, sizeof(T), true, at);
        check_access<Strict>(w, o, at, sizeof(T));
        for (unsigned l = 0; l < lanes; ++l) {
            if (!(at.mask >> l & 1)) continue;
            const T value = operand_of<T>(w, half ? o.src[3] : o.src[1], l);
            const T before = replace<T>(at, l, take<T>, value, value);
            old[half * sizeof(T) / 4][l] = low_word(before);
            if constexpr (sizeof(T) == 8) old[2 * half + 1][l] = high_word(before);
        }
        count_store(w, address_space::lds, at, sizeof(T));
    }
    give_back<Strict>(w, o, old, sizeof(T) / 2);
}

/// Each dword of the pair is replaced where the top bit of its operand is set, by the bits below.
template<bool Strict>
void exchange_conditionally(wave& w, const op& o) {
    lane_pointers at;
    resolve<Strict>(w, o, address_space::lds, 8, true, at);
    check_access<Strict>(w, o, at, 8);
    alignas(64) u32 old[2][lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        u32 words[2];
        std::memcpy(words, at.data[l], sizeof words);
        for (unsigned n = 0; n < 2; ++n) {
            old[n][l] = words[n];
            const u32 given = w.v[o.src[1] + n][l];
            if (given >> 31) words[n] = given & 0x7fffffffu;
        }
        std::memcpy(at.data[l], words, sizeof words);
    }
    give_back<Strict>(w, o, old, 2);
}

constexpr instruction entry(std::string_view name, handler plain, handler strict, kind dst,
                            kind data, kind second) {
    instruction e{name, format::memory_lds, op_class::lds_store, plain, strict};
    e.dst = dst;
    e.src[0] = kind::b32;
    e.src[1] = data;
    e.src[3] = second;
    return e;
}
template<class T, T (*Combine)(T, T, T), bool Returns>
constexpr instruction combine_entry(std::string_view name) {
    const kind k = kind_of<T>();
    return entry(name, &combine_two<T, Combine, Returns, false>,
                 &combine_two<T, Combine, Returns, true>, Returns ? k : kind::none, k, k);
}
template<class T, unsigned Stride>
constexpr instruction exchange_entry(std::string_view name) {
    const kind k = kind_of<T>();
    return entry(name, &exchange_two<T, Stride, false>, &exchange_two<T, Stride, true>,
                 kind_of_words(2 * sizeof(T)), k, k);
}

constexpr instruction table[] = {
    combine_entry<u32, mask_or<u32>, false>("ds_mskor_b32"),
    combine_entry<u32, mask_or<u32>, true>("ds_mskor_rtn_b32"),
    combine_entry<u64, mask_or<u64>, false>("ds_mskor_b64"),
    combine_entry<u64, mask_or<u64>, true>("ds_mskor_rtn_b64"),
    exchange_entry<u32, 1>("ds_storexchg_2addr_rtn_b32"),
    exchange_entry<u64, 1>("ds_storexchg_2addr_rtn_b64"),
    exchange_entry<u32, 64>("ds_storexchg_2addr_stride64_rtn_b32"),
    exchange_entry<u64, 64>("ds_storexchg_2addr_stride64_rtn_b64"),
    entry("ds_condxchg32_rtn_b64", &exchange_conditionally<false>, &exchange_conditionally<true>,
          kind::b64, kind::b64, kind::none),
};
constexpr instruction wrap_table[] = {combine_entry<u32, wrap, true>("ds_wrap_rtn_b32")};

} // namespace

instruction_table lds_exchange_table() {
    return table;
}
instruction_table rdna3_lds_table() {
    return wrap_table;
}

} // namespace r9v_emulator
