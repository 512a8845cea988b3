// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Loads and stores of every address space from one description: how many bytes move, and where they
// go in the register.
#pragma once

#include "../check/check.hpp"
#include "access.hpp"

namespace r9v_emulator {

/// What a load of fewer than four bytes does with the rest of its register.
enum class widening : u8 {
    words,
    zero,
    sign,
    low_half_zero,
    low_half_sign,
    high_half_zero,
    high_half_sign
};

struct transfer {
    address_space space;
    unsigned bytes;
    widening to = widening::words;
    bool high = false; ///< stores: from the high half of the register
};

inline outstanding_queue& queue_of(wave& w, address_space space) {
    return space == address_space::lds ? w.locals : w.loads;
}

/// Whether other workgroups see this memory.
constexpr bool is_shared(address_space space) {
    return space != address_space::lds && space != address_space::scratch;
}
inline bool is_scoped(const op& o) {
    return (o.flags & flag_scoped) != 0;
}

constexpr bool half_register(widening to) {
    return to != widening::words && to != widening::zero && to != widening::sign;
}
constexpr bool high_half(widening to) {
    return to == widening::high_half_zero || to == widening::high_half_sign;
}

void count_load(wave& w, address_space space, const lane_pointers& at, unsigned bytes);
void count_store(wave& w, address_space space, const lane_pointers& at, unsigned bytes);
/// Bytes read become the words that go to the register, below 4 bytes.
void widen(lane_bytes& data, unsigned bytes, widening to);
/// Taint of the destination words of a load, from its shadow when not all clean.
void load_taints(wave& w, const op& o, const transfer& t, const lane_pointers& at, bool clean);
/// What these lanes have loaded has no meaning.
void poison_lanes(wave& w, u16 first, unsigned words, u32 mask);
void store_taints(wave& w, const op& o, const transfer& t, u16 first, const lane_pointers& at);
void check_store_data(wave& w, const op& o, u16 first, unsigned words);

template<transfer T, bool Strict>
void load(wave& w, const op& o) {
    constexpr unsigned words = (T.bytes + 3) / 4;
    lane_pointers at;
    u32 unordered = 0;
    resolve<Strict>(w, o, T.space, T.bytes, false, at);
    if constexpr (Strict) {
        check_load_destination(w, o, queue_of(w, T.space), o.dst, words);
        if (at.lds_mask) check_races(w, o, at, T.bytes, false, false);
        if (is_shared(T.space))
            unordered = check_global_order(w, o, at, T.bytes, false, is_scoped(o));
    }
    lane_bytes data;
    // Lanes outside a buffer read zero.
    if (T.space == address_space::buffer && at.mask != w.exec()) std::memset(&data, 0, sizeof data);
    const bool clean = read_lanes<T.bytes>(at, data);
    count_load(w, T.space, at, T.bytes);
    if constexpr (T.bytes < 4) widen(data, T.bytes, T.to);
    if constexpr (half_register(T.to)) {
        lane_block word;
        for (unsigned l = 0; l < lanes; ++l)
            std::memcpy(&word.word[l], data.byte[l], 4);
        merge_halves(w.v[o.dst], word.word, w.exec(), high_half(T.to));
    } else {
        bytes_to_words(data, words, &w.v[o.dst], w.exec());
    }
    if constexpr (Strict) {
        load_taints(w, o, T, at, clean);
        if (unordered) [[unlikely]]
            poison_lanes(w, o.dst, words, unordered);
        issue(w, o, queue_of(w, T.space), o.dst, words, at.lds_mask != 0);
        if (T.space == address_space::flat) issue(w, o, w.locals, o.dst, words, at.lds_mask != 0);
    }
}

template<transfer T, bool Strict>
void store(wave& w, const op& o) {
    constexpr unsigned words = (T.bytes + 3) / 4;
    lane_pointers at;
    resolve<Strict>(w, o, T.space, T.bytes, true, at);
    if constexpr (Strict) {
        check_store_data(w, o, o.src[1], words);
        if (at.lds_mask) check_races(w, o, at, T.bytes, true, false);
        if (is_shared(T.space)) (void)check_global_order(w, o, at, T.bytes, true, is_scoped(o));
    }
    lane_bytes data;
    words_to_bytes(&w.v[o.src[1]], words, data);
    if constexpr (T.high)
        for (auto& lane : data.byte)
            std::memcpy(lane, lane + 2, 2);
    write_lanes<T.bytes>(at, data);
    count_store(w, T.space, at, T.bytes);
    if constexpr (Strict) {
        store_taints(w, o, T, o.src[1], at);
        if (T.space == address_space::lds)
            issue(w, o, w.locals, 0, 0, true);
        else
            ++w.stores;
        // A flat store may have gone to LDS, so it counts there whether it did or not.
        if (T.space == address_space::flat) issue(w, o, w.locals, 0, 0, at.lds_mask != 0);
    }
}

constexpr kind kind_of_words(unsigned bytes) {
    return bytes <= 4    ? kind::b32
           : bytes <= 8  ? kind::b64
           : bytes <= 12 ? kind::wide3
                         : kind::wide4;
}

template<transfer T>
constexpr instruction load_op(std::string_view name, format layout, op_class cls) {
    instruction e{name, layout, cls, &load<T, false>, &load<T, true>};
    e.dst = kind_of_words(T.bytes);
    e.src[0] = kind::b32;
    e.width = T.bytes;
    return e;
}
template<transfer T>
constexpr instruction store_op(std::string_view name, format layout, op_class cls) {
    instruction e{name, layout, cls, &store<T, false>, &store<T, true>};
    e.src[0] = kind::b32;
    e.src[1] = kind_of_words(T.bytes);
    e.width = T.bytes;
    return e;
}

} // namespace r9v_emulator
