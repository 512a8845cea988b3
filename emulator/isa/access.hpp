// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What all vector memory instructions share: where each lane's bytes are, their shadow, and moving
// bytes between memory and registers.
#pragma once

#include "vector.hpp"

namespace r9v_emulator {

enum class address_space : u8 { global, flat, scratch, buffer, lds };

/// Where the lanes of one access point. Lanes outside `mask` have no meaning.
struct lane_pointers {
    u32 mask;         ///< lanes that touch memory
    u32 lds_mask = 0; ///< of these, the ones in LDS (flat and ds instructions)
    std::byte* data[lanes];
    u8* shadow[lanes];
    u64 address[lanes]; ///< as the program sees it
};

/// Forms and checks addresses: reports poison in them, accesses that miss every live allocation,
/// and use of registers that are still outstanding.
template<bool Strict>
void resolve(wave& w, const op& o, address_space space, unsigned bytes, bool store,
             lane_pointers& out);

/// The same for one lane whose address lies in the memory of another device, which is open to this
/// one if the program said so.
void resolve_peer(wave& w, const op& o, unsigned lane, unsigned bytes, bool store,
                  lane_pointers& out);

/// Bytes of the lanes, 16 a lane at most.
struct lane_bytes {
    alignas(64) u8 byte[lanes][16];
};

/// Taint of the words that a load brings, from the shadow of what it read.
void taints_from_shadow(const lane_pointers& at, unsigned bytes, taint (&words)[4]);
/// Shadow bytes of what a store writes: written, or unwritten where the data is poison.
void shadow_from_taints(const lane_pointers& at, unsigned bytes, const taint (&words)[4]);

/// Reads `N` bytes a lane; false when some byte was never written.
template<unsigned N>
bool read_lanes(const lane_pointers& at, lane_bytes& to) {
    u64 low = ~u64{0}, high = ~u64{0};
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        std::memcpy(to.byte[l], at.data[l], N);
        u64 s[2] = {~u64{0}, ~u64{0}};
        std::memcpy(s, at.shadow[l], N);
        low &= s[0];
        high &= s[1];
    }
    return (low & high) == ~u64{0};
}
template<unsigned N>
void write_lanes(const lane_pointers& at, const lane_bytes& from) {
    constexpr u64 written[2] = {~u64{0}, ~u64{0}};
    for (unsigned l = 0; l < lanes; ++l) {
        if (!(at.mask >> l & 1)) continue;
        std::memcpy(at.data[l], from.byte[l], N);
        std::memcpy(at.shadow[l], written, N);
    }
}

void bytes_to_words(const lane_bytes& from, unsigned words, u32 (*to)[lanes], u32 mask);
void words_to_bytes(const u32 (*from)[lanes], unsigned words, lane_bytes& to);

/// Passes over the 32 banks of 4 bytes that an LDS access takes, and takes without conflicts.
struct bank_passes {
    u32 taken, ideal;
};
bank_passes count_passes(const lane_pointers& at, unsigned bytes);
u32 count_lines(const lane_pointers& at, unsigned bytes);

/// Strict mode, ahead of a load: the registers it will write may be outstanding only in `queue`.
void check_load_destination(wave& w, const op& o, outstanding_queue& queue, u16 first,
                            unsigned count);
/// Strict mode, after a load: what its registers become once it has been waited for.
void set_after(wave& w, u16 index, const taint& value, u32 mask, u32 planes = 0xf);
void check_data(wave& w, const op& o, int source, unsigned words);
void check_races(wave& w, const op& o, const lane_pointers& at, unsigned bytes, bool write,
                 bool atomic);

} // namespace r9v_emulator
