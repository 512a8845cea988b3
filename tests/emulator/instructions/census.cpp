// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Every encoding of each format is shown to LLVM's disassembler: what it names, the emulator
// executes, but for the lists here.
#include "bench.hpp"
#include "decode/bind.hpp"
#include "decode/disassembler.hpp"
#include <array>

namespace instructions {
namespace {

struct survey {
    std::set<std::string, std::less<>> known, unknown, unbound;
};

bool is_graphics(std::string_view name) {
    for (const std::string_view part :
         {"image_", "tbuffer_", "_format_", "export", "v_interp_", "_bvh_"})
        if (name.find(part) != name.npos) return true;
    return false;
}

void look(survey& seen, generation isa, u32 low, u32 high = 0) {
    const std::array<u32, 5> words = {low, high, 0, 0, 0};
    const std::string text = disassemble(std::as_bytes(std::span(words)), 0, isa).text;
    // The disassembler also names what the encoding allows and the instruction does not.
    if (text.empty() || text.find("Invalid") != text.npos || text.find("Warning") != text.npos)
        return;
    if (text.find(" :: ") != text.npos) return;
    const instruction_text split = split_instruction(text);
    const instruction* info = find_instruction(split.mnemonic, isa);
    if (!info) {
        if (!is_graphics(split.mnemonic)) seen.unknown.insert(split.mnemonic);
        return;
    }
    op made{};
    if (bind(split, *info, low, made))
        seen.known.insert(split.mnemonic);
    else
        seen.unbound.insert(text);
}

/// Operand fields: a vector register, a scalar pair, an inline constant.
constexpr u32 vector_2 = 256 + 2, vector_6 = 256 + 6, vector_10 = 256 + 10;

void scalar_formats(survey& seen, generation isa) {
    for (u32 op = 0; op < 256; ++op) {
        look(seen, isa, 0x80000000u | (op & 127) << 23 | 4 << 16 | 8 << 8 | 2);
        look(seen, isa, 0xb0000000u | (op & 31) << 23 | 4 << 16 | 5);
        look(seen, isa, 0xbe800000u | 4 << 16 | op << 8 | 2);
        look(seen, isa, 0xbe800000u | op << 8 | 0xc1);
        look(seen, isa, 0xbf000000u | (op & 127) << 16 | 8 << 8 | 2);
        look(seen, isa, 0xbf800000u | (op & 127) << 16 | 1);
    }
}

void vector_formats(survey& seen, generation isa) {
    for (u32 op = 0; op < 256; ++op) {
        look(seen, isa, 0x7e000000u | 4 << 17 | op << 9 | vector_2);
        look(seen, isa, (op & 63) << 25 | 4 << 17 | 2 << 9 | vector_6, 0x12345678);
        look(seen, isa, 0x7c000000u | op << 17 | 2 << 9 | vector_6);
    }
    const u32 sources[] = {vector_2 | vector_6 << 9 | u32{vector_10} << 18,
                           vector_2 | vector_6 << 9 | 8u << 18,
                           vector_2 | vector_6 << 9,
                           vector_2 | 4 << 9 | 8u << 18,
                           vector_2 | 4 << 9,
                           vector_2,
                           2 | 4 << 9 | 8u << 18,
                           2 | 4 << 9,
                           2};
    for (u32 op = 0; op < 1024; ++op)
        for (const u32 source : sources)
            for (const u32 mask : {0u, 8u << 8})
                look(seen, isa, 0xd4000000u | op << 16 | 4 | mask, source);
    for (u32 op = 0; op < 128; ++op) {
        const u32 low = 0xcc000000u | op << 16 | 4 | 0x40 << 8;
        look(seen, isa, low, (256 + 20) | (256 + 40) << 9 | u32{256 + 60} << 18 | 3u << 27);
        look(seen, isa, low, (256 + 20) | (256 + 40) << 9 | 3u << 27);
    }
}

void local_formats(survey& seen, generation isa) {
    for (u32 op = 0; op < 256; ++op)
        for (const u32 fields : {2 | 4 << 8 | 8 << 16 | 12u << 24, 2u | 4 << 8 | 8 << 16,
                                 2 | 4 << 8 | 12u << 24, 2u | 4 << 8, 2 | 12u << 24, 2u})
            look(seen, isa, 0xd8000000u | op << 18 | 16, fields);
}

void rdna4_memory(survey& seen) {
    const generation isa = generation::rdna4;
    for (u32 op = 0; op < 256; ++op) {
        for (const u32 base : {0xec000000u, 0xed000000u, 0xee000000u})
            for (const u32 address : {0x7cu, 2u})
                for (const u32 fields :
                     {4 | 12u << 23, 4 | 12u << 23 | 1u << 20, 4u, 12u << 23, 0u})
                    look(seen, isa, base | op << 14 | address, fields);
        for (const u32 more : {1u << 30, 1u << 30 | 1u << 20})
            look(seen, isa, 0xc4000000u | op << 14 | 0x7c, 4 | 8u << 9 | more);
        look(seen, isa, 0xf4000000u | (op & 63) << 13 | 4 << 6 | 2, 0xf8000010u);
        look(seen, isa, 0xf4000000u | (op & 63) << 13 | 2, 0xf8000010u);
    }
}

void rdna3_memory(survey& seen) {
    const generation isa = generation::rdna3;
    for (u32 op = 0; op < 256; ++op) {
        for (u32 segment = 0; segment < 3; ++segment)
            for (const u32 returns : {0u, 1u << 14})
                for (const u32 fields :
                     {2 | 8 << 8 | 0x7c << 16 | 12u << 24, 2 | 8 << 8 | 4 << 16 | 12u << 24,
                      2 | 0x7c << 16 | 12u << 24, 2u | 8 << 8 | 0x7c << 16, 8u << 8 | 0x7c << 16})
                    look(seen, isa, 0xdc000000u | segment << 16 | (op & 127) << 18 | returns,
                         fields);
        for (const u32 returns : {0u, 1u << 14})
            look(seen, isa, 0xe0000000u | (op & 127) << 18 | returns,
                 2 | 8 << 8 | 1 << 16 | 0x80u << 24);
        look(seen, isa, 0xf4000000u | op << 18 | 4 << 6 | 2, 0xf8000010u);
    }
}

std::string listed(const std::set<std::string, std::less<>>& names) {
    std::string text;
    for (const std::string& name : names)
        text += name + "\n";
    return text;
}

TEST(census, gfx1201) {
    survey seen;
    scalar_formats(seen, generation::rdna4);
    vector_formats(seen, generation::rdna4);
    local_formats(seen, generation::rdna4);
    rdna4_memory(seen);
    // Blocks of registers by a mask, ordered appends, returns from a trap handler, and names that
    // the RDNA4 ISA guide does not have.
    EXPECT_EQ(listed(seen.unknown),
              "global_atomic_ordered_add_b64\nglobal_load_block\nglobal_store_block\ns_rfe_b64\n"
              "s_waitcnt\ns_wakeup_barrier\nscratch_load_block\nscratch_store_block\n");
    EXPECT_EQ(listed(seen.unbound), "");
    EXPECT_GT(seen.known.size(), 1050u);
}

TEST(census, gfx1100) {
    survey seen;
    scalar_formats(seen, generation::rdna3);
    vector_formats(seen, generation::rdna3);
    local_formats(seen, generation::rdna3);
    rdna3_memory(seen);
    // Loads from buffers into LDS, loops over the halves of wave64, returns from a trap handler.
    EXPECT_EQ(listed(seen.unknown),
              "buffer_load_lds_b32\nbuffer_load_lds_i16\nbuffer_load_lds_i8\nbuffer_load_lds_u16\n"
              "buffer_load_lds_u8\ns_rfe_b64\ns_subvector_loop_begin\ns_subvector_loop_end\n");
    EXPECT_EQ(listed(seen.unbound), "");
    EXPECT_GT(seen.known.size(), 930u);
}

} // namespace
} // namespace instructions
