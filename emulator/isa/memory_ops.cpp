// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Loads and stores of global, flat, scratch and buffer memory.
#include "memory_ops.hpp"

#include "tables.hpp"
#include <bit>

namespace r9v_emulator {

void count_load(wave& w, address_space space, const lane_pointers& at, unsigned bytes) {
    launch_counts& counts = w.host->counts;
    if (space == address_space::lds) {
        const bank_passes passes = count_passes(at, bytes);
        counts.lds_load_passes += passes.taken;
        counts.lds_load_passes_ideal += passes.ideal;
    } else if (space != address_space::scratch) {
        counts.global_bytes_loaded += static_cast<u64>(std::popcount(at.mask)) * bytes;
        counts.global_lines_loaded += count_lines(at, bytes);
    }
}

void count_store(wave& w, address_space space, const lane_pointers& at, unsigned bytes) {
    launch_counts& counts = w.host->counts;
    if (space == address_space::lds) {
        const bank_passes passes = count_passes(at, bytes);
        counts.lds_store_passes += passes.taken;
        counts.lds_store_passes_ideal += passes.ideal;
    } else if (space != address_space::scratch) {
        counts.global_bytes_stored += static_cast<u64>(std::popcount(at.mask)) * bytes;
        counts.global_lines_stored += count_lines(at, bytes);
    }
}

void widen(lane_bytes& data, unsigned bytes, widening to) {
    const bool is_signed =
        to == widening::sign || to == widening::low_half_sign || to == widening::high_half_sign;
    for (auto& lane : data.byte) {
        u32 value = lane[0];
        if (bytes == 2) value |= static_cast<u32>(lane[1]) << 8;
        if (is_signed)
            value = static_cast<u32>(bytes == 1 ? i32{static_cast<i8>(value)}
                                                : i32{static_cast<i16>(value)});
        std::memcpy(lane, &value, 4);
    }
}

void load_taints(wave& w, const op& o, const transfer& t, const lane_pointers& at, bool clean) {
    const unsigned words = (t.bytes + 3) / 4;
    taint found[4];
    if (!clean) taints_from_shadow(at, t.bytes, found);
    u32 planes = 0xf;
    if (t.bytes < 4) {
        // A sign may spread the last byte; zeros above are clean.
        const u32 last = found[0].plane[t.bytes - 1];
        const bool sign = t.to == widening::sign || t.to == widening::low_half_sign ||
                          t.to == widening::high_half_sign;
        for (unsigned b = t.bytes; b < 4; ++b)
            found[0].plane[b] = sign ? last : 0;
        if (half_register(t.to)) planes = high_half(t.to) ? 0xc : 0x3;
        if (high_half(t.to)) found[0] = taint::of(0, 0, found[0].plane[0], found[0].plane[1]);
    }
    for (unsigned n = 0; n < words; ++n)
        set_after(w, static_cast<u16>(o.dst + n), found[n], w.exec(), planes);
}

void poison_lanes(wave& w, u16 first, unsigned words, u32 mask) {
    for (unsigned n = 0; n < words; ++n)
        for (u32& plane : w.after[first + n].plane)
            plane |= mask;
}

void check_store_data(wave& w, const op& o, u16 first, unsigned words) {
    for (unsigned n = 0; n < words; ++n)
        if (w.pending[first + n]) check_pending(w, o, static_cast<u16>(first + n), 1, false);
}

void store_taints(wave& w, const op& o, const transfer& t, u16 first, const lane_pointers& at) {
    const unsigned words = (t.bytes + 3) / 4;
    taint data[4];
    u32 bad = 0;
    for (unsigned n = 0; n < words; ++n) {
        data[n] = w.taints[first + n];
        if (t.high) data[n] = taint::of(data[n].plane[2], data[n].plane[3], 0, 0);
        for (unsigned b = 0; b < 4 && 4 * n + b < t.bytes; ++b)
            bad |= data[n].plane[b];
    }
    bad &= at.mask;
    if (!bad) return;
    shadow_from_taints(at, t.bytes, data);
    const bool carries = t.space == address_space::lds || t.space == address_space::scratch;
    if (carries || !w.launch->options->report_poison_store) return;
    // Flat stores to LDS or scratch carry poison as well.
    u32 global = 0;
    for (unsigned l = 0; l < lanes; ++l)
        if ((bad >> l & 1) && (at.address[l] >> 32 != shared_aperture >> 32) &&
            (at.address[l] >> 32 != private_aperture >> 32))
            global |= 1u << l;
    if (global) report_poison(w, o, "a global store", global, at.address[lowest_lane(global)]);
}

namespace {

#define LOADS(prefix, where, layout, cls)                                                          \
    load_op<transfer{where, 1, widening::zero}>(prefix "_load_u8", layout, cls),                   \
        load_op<transfer{where, 1, widening::sign}>(prefix "_load_i8", layout, cls),               \
        load_op<transfer{where, 2, widening::zero}>(prefix "_load_u16", layout, cls),              \
        load_op<transfer{where, 2, widening::sign}>(prefix "_load_i16", layout, cls),              \
        load_op<transfer{where, 1, widening::low_half_zero}>(prefix "_load_d16_u8", layout, cls),  \
        load_op<transfer{where, 1, widening::low_half_sign}>(prefix "_load_d16_i8", layout, cls),  \
        load_op<transfer{where, 2, widening::low_half_zero}>(prefix "_load_d16_b16", layout, cls), \
        load_op<transfer{where, 1, widening::high_half_zero}>(prefix "_load_d16_hi_u8", layout,    \
                                                              cls),                                \
        load_op<transfer{where, 1, widening::high_half_sign}>(prefix "_load_d16_hi_i8", layout,    \
                                                              cls),                                \
        load_op<transfer{where, 2, widening::high_half_zero}>(prefix "_load_d16_hi_b16", layout,   \
                                                              cls),                                \
        load_op<transfer{where, 4}>(prefix "_load_b32", layout, cls),                              \
        load_op<transfer{where, 8}>(prefix "_load_b64", layout, cls),                              \
        load_op<transfer{where, 12}>(prefix "_load_b96", layout, cls),                             \
        load_op<transfer{where, 16}>(prefix "_load_b128", layout, cls)
#define STORES(prefix, where, layout, cls)                                                         \
    store_op<transfer{where, 1}>(prefix "_store_b8", layout, cls),                                 \
        store_op<transfer{where, 2}>(prefix "_store_b16", layout, cls),                            \
        store_op<transfer{where, 1, widening::words, true}>(prefix "_store_d16_hi_b8", layout,     \
                                                            cls),                                  \
        store_op<transfer{where, 2, widening::words, true}>(prefix "_store_d16_hi_b16", layout,    \
                                                            cls),                                  \
        store_op<transfer{where, 4}>(prefix "_store_b32", layout, cls),                            \
        store_op<transfer{where, 8}>(prefix "_store_b64", layout, cls),                            \
        store_op<transfer{where, 12}>(prefix "_store_b96", layout, cls),                           \
        store_op<transfer{where, 16}>(prefix "_store_b128", layout, cls)

/// The lane's number times four takes the place of an address register.
constexpr instruction by_lane(instruction e) {
    e.src[0] = kind::none;
    return e;
}

constexpr instruction global[] = {
    by_lane(load_op<transfer{address_space::global, 4}>(
        "global_load_addtid_b32", format::memory_global, op_class::global_load)),
    by_lane(store_op<transfer{address_space::global, 4}>(
        "global_store_addtid_b32", format::memory_global, op_class::global_store)),
    LOADS("global", address_space::global, format::memory_global, op_class::global_load),
    STORES("global", address_space::global, format::memory_global, op_class::global_store),
    LOADS("flat", address_space::flat, format::memory_flat, op_class::global_load),
    STORES("flat", address_space::flat, format::memory_flat, op_class::global_store),
};
constexpr instruction scratch[] = {
    LOADS("scratch", address_space::scratch, format::memory_scratch, op_class::scratch),
    STORES("scratch", address_space::scratch, format::memory_scratch, op_class::scratch),
};
constexpr instruction buffer[] = {
    LOADS("buffer", address_space::buffer, format::memory_buffer, op_class::global_load),
    STORES("buffer", address_space::buffer, format::memory_buffer, op_class::global_store),
};

#undef LOADS
#undef STORES

} // namespace

instruction_table global_table() {
    return global;
}
instruction_table scratch_table() {
    return scratch;
}
instruction_table buffer_table() {
    return buffer;
}

} // namespace r9v_emulator
