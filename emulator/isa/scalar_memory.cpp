// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Scalar loads. They return in any order, so the strict mode keeps their registers poison until
// kmcnt has been waited down to zero.
#include "../check/check.hpp"
#include "access.hpp"
#include "tables.hpp"

namespace r9v_emulator {
namespace {

struct scalar_bytes {
    const std::byte* data;
    const u8* shadow; ///< nullptr where all is written
};

scalar_bytes find_bytes(wave& w, const op& o, u64 address, unsigned bytes) {
    const launch_state& launch = *w.launch;
    if (address - launch.arena_begin < launch.arena_bytes) {
        const u64 offset = address - launch.arena_begin;
        const u8* shadow = launch.shadow + offset;
        if (!std::memchr(shadow, 0, bytes)) return {launch.arena + offset, shadow};
    } else if (launch.device->in_arena(address)) {
        lane_pointers at;
        at.address[0] = address;
        resolve_peer(w, o, 0, bytes, false, at);
        return {at.data[0], at.shadow[0]};
    } else if (const std::byte* host = launch.device->host_range(address, bytes)) {
        return {host, nullptr};
    }
    const auto near = launch.device->nearest(address);
    const std::string where = near ? "nearest is an allocation of " + std::to_string(near->bytes) +
                                         " bytes, " + std::to_string(address - near->begin) +
                                         " bytes after its begin" + (near->live ? "" : " (freed)")
                                   : "nothing was ever allocated there";
    report_fatal(w, o, "out of bounds", -1, address, std::to_string(bytes) + " bytes; " + where);
}

void check_scalar_address(wave& w, const op& o, unsigned words) {
    u32 bad = w.taints[o.src[1]].plane[0];
    for (unsigned n = 0; n < words; ++n)
        bad |= w.taints[o.src[0] + n].plane[0];
    if (!bad) return;
    const bool base = check_pending(w, o, o.src[0], words, false);
    const bool offset = check_pending(w, o, o.src[1], 1, false);
    if (!base && !offset) report_poison(w, o, "a scalar address", 0);
}

u32 taint_of_word(const u8* shadow, unsigned bytes) {
    u32 bits = 0;
    for (unsigned b = 0; shadow && b < bytes; ++b)
        if (shadow[b] == static_cast<u8>(shadow::unwritten)) bits |= 0xffu << (8 * b);
    return bits;
}

template<bool Strict>
void load_words(wave& w, const op& o, u64 address, unsigned words) {
    if (Strict && (address & 3))
        report(w, o, "misaligned scalar load", -1, address, "scalar loads are of whole dwords");
    address &= ~u64{3};
    const scalar_bytes from = find_bytes(w, o, address, 4 * words);
    const unsigned first = o.dst - scalar_first;
    if constexpr (Strict) {
        check_pending(w, o, o.dst, words, true);
        check_scalar_order(w, o, address, from.data, 4 * words);
    }
    if (first >= discard_number) return;
    std::memcpy(&w.s[first], from.data, 4 * words);
    if constexpr (Strict) {
        for (unsigned n = 0; n < words; ++n)
            w.after_scalar[first + n] =
                taint::of(taint_of_word(from.shadow ? from.shadow + 4 * n : nullptr, 4), 0, 0, 0);
        issue_scalar(w, o, first, words);
    }
}

u64 offset_of(const wave& w, const op& o) {
    return static_cast<u64>(static_cast<i64>(o.offset)) +
           (is_scalar(o.src[1]) ? w.s[o.src[1] - scalar_first] : 0);
}
u64 base_of(const wave& w, const op& o) {
    return scalar_word(w, o, 0, 0) | static_cast<u64>(scalar_word(w, o, 0, 1)) << 32;
}

template<unsigned Words, bool Strict>
void load(wave& w, const op& o) {
    if constexpr (Strict) check_scalar_address(w, o, 2);
    load_words<Strict>(w, o, base_of(w, o) + offset_of(w, o), Words);
}

/// A word outside the buffer reads as zero.
template<unsigned Words, bool Strict>
void buffer_load(wave& w, const op& o) {
    if constexpr (Strict) check_scalar_address(w, o, 4);
    const u64 base = base_of(w, o) & 0xffffffffffffu;
    const u64 stride = base_of(w, o) >> 48 & 0x3fff;
    const u64 size = scalar_word(w, o, 0, 2) * std::max<u64>(stride, 1);
    const u64 offset = offset_of(w, o) & ~u64{3};
    if (offset + 4 * Words <= size) {
        load_words<Strict>(w, o, base + offset, Words);
        return;
    }
    const unsigned first = o.dst - scalar_first;
    for (unsigned n = 0; n < Words; ++n) {
        u32 value = 0;
        if (offset + 4 * n + 4 <= size)
            std::memcpy(&value, find_bytes(w, o, base + offset + 4 * n, 4).data, 4);
        w.s[first + n] = value;
        w.after_scalar[first + n] = taint{};
    }
    if constexpr (Strict) issue_scalar(w, o, first, Words);
}

template<unsigned Bytes, bool Signed, bool Strict>
void load_small(wave& w, const op& o) {
    if constexpr (Strict) {
        check_scalar_address(w, o, 2);
        check_pending(w, o, o.dst, 1, true);
    }
    const u64 address = base_of(w, o) + offset_of(w, o);
    const scalar_bytes from = find_bytes(w, o, address, Bytes);
    u32 value = 0;
    std::memcpy(&value, from.data, Bytes);
    if (Signed)
        value = static_cast<u32>(Bytes == 1 ? i32{static_cast<i8>(value)}
                                            : i32{static_cast<i16>(value)});
    write_scalar(w, o.dst, value);
    if constexpr (Strict) {
        const unsigned number = o.dst - scalar_first;
        w.after_scalar[number] = taint::of(taint_of_word(from.shadow, Bytes), 0, 0, 0);
        issue_scalar(w, o, number, 1);
    }
}

/// As load_small; a byte outside the buffer reads as zero.
template<unsigned Bytes, bool Signed, bool Strict>
void buffer_load_small(wave& w, const op& o) {
    const u64 stride = base_of(w, o) >> 48 & 0x3fff;
    const u64 size = scalar_word(w, o, 0, 2) * std::max<u64>(stride, 1);
    const u64 offset = offset_of(w, o);
    if constexpr (Strict) {
        check_scalar_address(w, o, 4);
        check_pending(w, o, o.dst, 1, true);
    }
    u32 value = 0;
    const u8* shadow = nullptr;
    if (offset + Bytes <= size) {
        const u64 base = base_of(w, o) & 0xffffffffffffu;
        const scalar_bytes from = find_bytes(w, o, base + offset, Bytes);
        std::memcpy(&value, from.data, Bytes);
        shadow = from.shadow;
    }
    if (Signed)
        value = static_cast<u32>(Bytes == 1 ? i32{static_cast<i8>(value)}
                                            : i32{static_cast<i16>(value)});
    write_scalar(w, o.dst, value);
    if constexpr (Strict) {
        const unsigned number = o.dst - scalar_first;
        w.after_scalar[number] = taint::of(taint_of_word(shadow, Bytes), 0, 0, 0);
        issue_scalar(w, o, number, 1);
    }
}

constexpr kind words_kind(unsigned words) {
    return words == 1   ? kind::b32
           : words == 2 ? kind::b64
           : words == 3 ? kind::wide3
           : words == 4 ? kind::wide4
           : words == 8 ? kind::wide8
                        : kind::wide16;
}
constexpr instruction entry(std::string_view name, unsigned words, handler plain, handler strict) {
    instruction e{name, format::scalar_memory, op_class::smem, plain, strict};
    e.dst = words_kind(words);
    e.src[0] = kind::b64;
    return e;
}
template<unsigned Words>
constexpr instruction load_entry(std::string_view name) {
    return entry(name, Words, &load<Words, false>, &load<Words, true>);
}
template<unsigned Words>
constexpr instruction buffer_entry(std::string_view name) {
    return entry(name, Words, &buffer_load<Words, false>, &buffer_load<Words, true>);
}
template<unsigned Bytes, bool Signed>
constexpr instruction small_entry(std::string_view name) {
    return entry(name, 1, &load_small<Bytes, Signed, false>, &load_small<Bytes, Signed, true>);
}
template<unsigned Bytes, bool Signed>
constexpr instruction small_buffer_entry(std::string_view name) {
    return entry(name, 1, &buffer_load_small<Bytes, Signed, false>,
                 &buffer_load_small<Bytes, Signed, true>);
}

constexpr instruction table[] = {
    load_entry<1>("s_load_b32"),
    load_entry<2>("s_load_b64"),
    load_entry<3>("s_load_b96"),
    load_entry<4>("s_load_b128"),
    load_entry<8>("s_load_b256"),
    load_entry<16>("s_load_b512"),
    buffer_entry<1>("s_buffer_load_b32"),
    buffer_entry<2>("s_buffer_load_b64"),
    buffer_entry<3>("s_buffer_load_b96"),
    buffer_entry<4>("s_buffer_load_b128"),
    buffer_entry<8>("s_buffer_load_b256"),
    buffer_entry<16>("s_buffer_load_b512"),
    small_entry<1, false>("s_load_u8"),
    small_entry<1, true>("s_load_i8"),
    small_entry<2, false>("s_load_u16"),
    small_entry<2, true>("s_load_i16"),
    small_buffer_entry<1, false>("s_buffer_load_u8"),
    small_buffer_entry<1, true>("s_buffer_load_i8"),
    small_buffer_entry<2, false>("s_buffer_load_u16"),
    small_buffer_entry<2, true>("s_buffer_load_i16"),
};

} // namespace

instruction_table scalar_memory_table() {
    return table;
}

} // namespace r9v_emulator
