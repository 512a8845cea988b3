// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// All tables by name.
#include "tables.hpp"
#include <string>
#include <unordered_map>

namespace r9v_emulator {

std::span<const instruction_table> all_tables(generation isa) {
    static const instruction_table tables[] = {
        control_table(),
        wait_table(),
        message_table(),
        scalar_integer_table(),
        scalar_compare_table(),
        scalar_float_table(),
        scalar_mask_table(),
        scalar_wide_table(),
        scalar_memory_table(),
        vector_integer_table(),
        vector_bits_table(),
        vector_short_table(),
        vector_float_table(),
        vector_half_table(),
        vector_double_table(),
        vector_convert_table(),
        vector_media_table(),
        vector_transcendental_table(),
        vector_packed_table(),
        vector_dot_table(),
        vector_lane_table(),
        compare_table(),
        matrix_table(),
        sparse_matrix_table(),
        global_table(),
        global_atomic_table(),
        scratch_table(),
        buffer_table(),
        lds_table(),
        lds_atomic_table(),
        lds_exchange_table(),
    };
    static const instruction_table own[] = {
        rdna3_matrix_table(), rdna3_wait_table(), rdna3_table(),
        rdna3_lds_table(),    rdna3_dot_table(),  rdna3_atomic_table(),
    };
    if (isa == generation::rdna3) return own;
    return tables;
}

namespace {

using name_map = std::unordered_map<std::string_view, const instruction*>;

name_map by_name(generation isa) {
    name_map map;
    for (const instruction_table table : all_tables(isa))
        for (const instruction& entry : table)
            map.emplace(entry.name, &entry);
    return map;
}

const instruction* find_single(std::string_view name, generation isa) {
    static const name_map rdna4 = by_name(generation::rdna4);
    static const name_map rdna3 = by_name(generation::rdna3);
    const auto look = [&](const name_map& map) {
        const auto found = map.find(name);
        return found == map.end() ? nullptr : found->second;
    };
    if (isa == generation::rdna4) return look(rdna4);
    if (const instruction* own = look(rdna3)) return own;
    if (const std::string_view renamed = rdna4_name(name); !renamed.empty()) name = renamed;
    return look(rdna4);
}

} // namespace

const instruction* find_instruction(std::string_view name, generation isa) {
    if (const instruction* found = find_single(name, isa)) return found;
    // Halves of VOPD pairs are the ordinary instructions.
    constexpr std::string_view dual = "v_dual_";
    if (!name.starts_with(dual)) return nullptr;
    return find_single("v_" + std::string(name.substr(dual.size())), isa);
}

} // namespace r9v_emulator
