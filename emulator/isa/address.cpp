// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Addresses of vector memory instructions: forming, checking, finding the bytes.
#include "access.hpp"
#include <algorithm>

namespace r9v_emulator {
namespace {

constexpr unsigned widest = 16;
constexpr u8 constant_state = static_cast<u8>(shadow::constant);
alignas(64) u8 always_written[64] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

void check_register(wave& w, const op& o, u16 index, unsigned words, u32 mask,
                    std::string_view what) {
    if (index >= constant_index) return;
    u32 bad = 0;
    for (unsigned n = 0; n < words; ++n) {
        const taint& t = w.taints[index + n];
        bad |= is_scalar(index) ? (t.plane[0] ? all_lanes : 0) : t.any_byte();
    }
    if (!(bad & mask) || check_pending(w, o, index, words, false)) return;
    report_poison(w, o, what, bad & mask);
}

u64 scalar_base(const wave& w, const op& o, int i) {
    return scalar_word(w, o, i, 0) | static_cast<u64>(scalar_word(w, o, i, 1)) << 32;
}

u64 lane64(const wave& w, u16 index, unsigned l) {
    return w.v[index][l] | static_cast<u64>(w.v[index + 1][l]) << 32;
}

template<bool Strict>
void global_addresses(wave& w, const op& o, lane_pointers& out) {
    const bool based = o.src[2] != no_operand && o.src[2] != scalar(null_number);
    if constexpr (Strict) {
        check_register(w, o, o.src[0], based ? 1 : 2, out.mask, "an address");
        if (based) check_register(w, o, o.src[2], 2, out.mask, "an address");
    }
    const u64 offset = static_cast<u64>(static_cast<i64>(o.offset));
    if (based) {
        const u64 base = scalar_base(w, o, 2) + offset;
        const u32* lane_offset = w.v[o.src[0]];
        for (unsigned l = 0; l < lanes; ++l)
            out.address[l] = base + lane_offset[l];
    } else {
        const u32 *low = w.v[o.src[0]], *high = w.v[o.src[0] + 1];
        for (unsigned l = 0; l < lanes; ++l)
            out.address[l] = (low[l] | static_cast<u64>(high[l]) << 32) + offset;
    }
}

std::string describe_miss(const wave& w, u64 address, unsigned bytes) {
    const auto near = w.launch->device->nearest(address);
    const std::string size = std::to_string(bytes) + " bytes ";
    if (!near) return size + "where nothing was ever allocated";
    const std::string name = near->label.empty() ? "" : " \"" + near->label + "\"";
    const std::string what = std::to_string(near->bytes) + " bytes" + name;
    if (address < near->end()) {
        const std::string at = std::to_string(address - near->begin);
        return near->live
                   ? size + "at offset " + at + " run past the end of the allocation of " + what
                   : size + "at offset " + at + " of a freed allocation of " + what;
    }
    return size + "start " + std::to_string(address - near->end()) + " bytes past the end of the " +
           (near->live ? "allocation of " : "freed allocation of ") + what;
}

[[noreturn]] void miss(wave& w, const op& o, unsigned lane, u64 address, unsigned bytes) {
    report_fatal(w, o, "out of bounds", static_cast<int>(lane), address,
                 describe_miss(w, address, bytes));
}

bool any_of_state(const u8* plane, shadow state, unsigned bytes) {
    return std::memchr(plane, static_cast<int>(state), bytes) != nullptr;
}

[[noreturn]] void refuse_store(wave& w, const op& o, unsigned lane, u64 address, unsigned bytes) {
    report_fatal(w, o, "store to constant memory", static_cast<int>(lane), address,
                 std::to_string(bytes) + " bytes of code, of read-only data or of a __constant__ "
                                         "variable");
}

/// One lane that is not plainly inside the arena: registered host memory, a peer, or a mistake.
void resolve_outside(wave& w, const op& o, unsigned l, unsigned bytes, bool store,
                     lane_pointers& out) {
    if (w.launch->device->in_arena(out.address[l])) return resolve_peer(w, o, l, bytes, store, out);
    std::byte* host = w.launch->device->host_range(out.address[l], bytes);
    if (!host) miss(w, o, l, out.address[l], bytes);
    out.data[l] = host;
    out.shadow[l] = always_written;
}

/// Points all lanes to `offset` from their address; false, and nothing done, where one of them does
/// not lie within `room`. Written so that it vectorises.
bool point_all(lane_pointers& out, u64 begin, u64 room, std::byte* data, u8* shadow) {
    u64 most = 0;
    for (unsigned l = 0; l < lanes; ++l)
        most = std::max(most, out.address[l] - begin);
    if (most >= room) return false;
    for (unsigned l = 0; l < lanes; ++l) {
        out.data[l] = data + (out.address[l] - begin);
        out.shadow[l] = shadow + (out.address[l] - begin);
    }
    return true;
}

/// All lanes may do as they like with their first and last bytes.
bool all_open(const lane_pointers& out, unsigned bytes, bool store) {
    bool bad = false;
    for (unsigned l = 0; l < lanes; ++l) {
        const u8 first = out.shadow[l][0], last = out.shadow[l][bytes - 1];
        bad |= (first == 0) | (last == 0);
        bad |= store & ((first == constant_state) | (last == constant_state));
    }
    return !bad;
}

void point_into_arena(wave& w, const op& o, unsigned bytes, u32 mask, bool store,
                      lane_pointers& out) {
    const launch_state& launch = *w.launch;
    const u64 begin = launch.arena_begin, room = launch.arena_bytes - widest;
    if (mask == all_lanes && point_all(out, begin, room, launch.arena, launch.shadow) &&
        all_open(out, bytes, store))
        return;
    u32 bad = 0;
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(mask >> l & 1)) continue;
        const u64 offset = out.address[l] - begin;
        if (offset >= room) [[unlikely]] {
            resolve_outside(w, o, l, bytes, store, out);
            continue;
        }
        out.data[l] = launch.arena + offset;
        out.shadow[l] = launch.shadow + offset;
        // Bounds: the first and last bytes; the gap between allocations is wider than an access.
        const u8 first = out.shadow[l][0], last = out.shadow[l][bytes - 1];
        bad |= (first == 0) | (last == 0);
        if (store) bad |= (first == constant_state) | (last == constant_state);
    }
    if (!bad) return;
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(mask >> l & 1)) continue;
        if (any_of_state(out.shadow[l], shadow::unallocated, bytes))
            miss(w, o, l, out.address[l], bytes);
        if (store && any_of_state(out.shadow[l], shadow::constant, bytes))
            refuse_store(w, o, l, out.address[l], bytes);
    }
}

void point_into_lds(wave& w, const op& o, unsigned bytes, u32 mask, u64 base, lane_pointers& out) {
    lds_state& lds = w.owner->lds;
    out.lds_mask |= mask;
    auto* const data = reinterpret_cast<std::byte*>(lds.bytes.data());
    if (mask == all_lanes && lds.size >= bytes &&
        point_all(out, base, lds.size - bytes + 1, data, lds.shadow.data()))
        return;
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(mask >> l & 1)) continue;
        const u64 offset = out.address[l] - base;
        if (offset + bytes > lds.size)
            report_fatal(w, o, "LDS out of bounds", static_cast<int>(l), out.address[l],
                         std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                             " of " + std::to_string(lds.size) + " bytes of LDS");
        out.data[l] = data + offset;
        out.shadow[l] = lds.shadow.data() + offset;
    }
}

void point_into_scratch(wave& w, const op& o, unsigned bytes, u32 mask, u64 base,
                        lane_pointers& out) {
    const u32 stride = w.launch->scratch_stride;
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(mask >> l & 1)) continue;
        const u64 offset = out.address[l] - base;
        if (offset + bytes > stride)
            report_fatal(w, o, "scratch out of bounds", static_cast<int>(l), out.address[l],
                         std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                             " of " + std::to_string(stride) + " bytes of scratch a lane");
        const u64 at = u64{l} * stride + offset;
        out.data[l] = reinterpret_cast<std::byte*>(w.scratch.data()) + at;
        out.shadow[l] = w.scratch_shadow.data() + at;
    }
}

template<bool Strict>
void scratch_addresses(wave& w, const op& o, lane_pointers& out) {
    if constexpr (Strict) {
        if (o.src[0] != no_operand) check_register(w, o, o.src[0], 1, out.mask, "an address");
        if (o.src[2] != no_operand) check_register(w, o, o.src[2], 1, out.mask, "an address");
    }
    u32 base = static_cast<u32>(o.offset);
    if (o.src[2] != no_operand) base += scalar_word(w, o, 2, 0);
    for (unsigned l = 0; l < lanes; ++l)
        out.address[l] = base + (o.src[0] != no_operand ? w.v[o.src[0]][l] : 0);
}

void split_flat(wave& w, const op& o, unsigned bytes, bool store, lane_pointers& out) {
    u32 shared = 0, own = 0;
    for (unsigned l = 0; l < lanes; ++l) {
        const u64 high = out.address[l] >> 32;
        shared |= static_cast<u32>(high == shared_aperture >> 32) << l;
        own |= static_cast<u32>(high == private_aperture >> 32) << l;
    }
    shared &= out.mask;
    own &= out.mask;
    w.stored |= store && own != out.mask;
    if (shared) point_into_lds(w, o, bytes, shared, shared_aperture, out);
    if (own) point_into_scratch(w, o, bytes, own, private_aperture, out);
    if (const u32 rest = out.mask & ~shared & ~own) point_into_arena(w, o, bytes, rest, store, out);
}

/// A buffer descriptor holds base, stride and size. A lane outside reads 0 and writes nothing.
template<bool Strict>
void buffer_addresses(wave& w, const op& o, unsigned bytes, lane_pointers& out) {
    if constexpr (Strict) {
        check_register(w, o, o.src[2], 4, out.mask, "a buffer descriptor");
        check_register(w, o, o.src[3], 1, out.mask, "an address");
        const unsigned words =
            ((o.flags & flag_index_enabled) && (o.flags & flag_offset_enabled)) ? 2 : 1;
        if (o.src[0] != no_operand) check_register(w, o, o.src[0], words, out.mask, "an address");
    }
    const u64 low = scalar_base(w, o, 2);
    const u64 base = low & 0xffffffffffffu;
    const u32 stride = static_cast<u32>(low >> 48) & 0x3fff;
    const u64 records = scalar_word(w, o, 2, 2);
    const u64 uniform = o.src[3] == no_operand || o.src[3] == scalar(null_number) ? 0
                        : is_scalar(o.src[3]) ? w.s[o.src[3] - scalar_first]
                                              : static_cast<u32>(o.constant[2]);
    for (unsigned l = 0; l < lanes; ++l) {
        u16 next = o.src[0];
        u64 index = 0, offset = static_cast<u64>(static_cast<i64>(o.offset));
        if (o.flags & flag_index_enabled) index = w.v[next++][l];
        if (o.flags & flag_offset_enabled) offset += w.v[next][l];
        const bool inside =
            stride ? index < records && offset + bytes <= std::max<u64>(stride, offset + bytes)
                   : offset + uniform + bytes <= records;
        out.address[l] = base + index * stride + offset + uniform;
        if (!inside) out.mask &= ~(1u << l);
    }
}

/// What the address arithmetic itself needs is one 64-bit register pair.
template<bool Strict>
void flat_addresses(wave& w, const op& o, lane_pointers& out) {
    if constexpr (Strict) check_register(w, o, o.src[0], 2, out.mask, "an address");
    const u64 offset = static_cast<u64>(static_cast<i64>(o.offset));
    for (unsigned l = 0; l < lanes; ++l)
        out.address[l] = lane64(w, o.src[0], l) + offset;
}

} // namespace

void resolve_peer(wave& w, const op& o, unsigned l, unsigned bytes, bool store,
                  lane_pointers& out) {
    const memory& device = *w.launch->device;
    const u64 address = out.address[l];
    if (!device.accessible(address, bytes)) miss(w, o, l, address, bytes);
    const allocation owner = *device.find(address);
    const launch_request& request = *w.launch->request;
    const unsigned peer = device.device_of(address);
    const bool open = owner.host_visible || owner.shared ||
                      (request.peers && request.peers(request.device, peer));
    if (!open)
        report_fatal(w, o, "memory of another device", static_cast<int>(l), address,
                     "device " + std::to_string(request.device) + " has no access to device " +
                         std::to_string(peer) + ". Call hipDeviceEnablePeerAccess first");
    if (store && owner.constants) refuse_store(w, o, l, address, bytes);
    out.data[l] = device.alias(address);
    out.shadow[l] = device.shadow_of(address);
}

template<bool Strict>
void resolve(wave& w, const op& o, address_space space, unsigned bytes, bool store,
             lane_pointers& out) {
    out.mask = w.exec();
    if (space != address_space::scratch && space != address_space::flat) w.stored |= store;
    switch (space) {
    case address_space::global:
        global_addresses<Strict>(w, o, out);
        point_into_arena(w, o, bytes, out.mask, store, out);
        return;
    case address_space::flat:
        flat_addresses<Strict>(w, o, out);
        split_flat(w, o, bytes, store, out);
        return;
    case address_space::scratch:
        scratch_addresses<Strict>(w, o, out);
        point_into_scratch(w, o, bytes, out.mask, 0, out);
        return;
    case address_space::buffer:
        buffer_addresses<Strict>(w, o, bytes, out);
        point_into_arena(w, o, bytes, out.mask, store, out);
        return;
    case address_space::lds:
        if constexpr (Strict) check_register(w, o, o.src[0], 1, out.mask, "an LDS address");
        for (unsigned l = 0; l < lanes; ++l)
            out.address[l] = w.v[o.src[0]][l] + static_cast<u32>(o.offset);
        point_into_lds(w, o, bytes, out.mask, 0, out);
        return;
    }
}

template void resolve<false>(wave&, const op&, address_space, unsigned, bool, lane_pointers&);
template void resolve<true>(wave&, const op&, address_space, unsigned, bool, lane_pointers&);

} // namespace r9v_emulator
