// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// All tables by name.
#include "tables.hpp"
#include <string>
#include <unordered_map>

namespace r9v_emulator {

std::span<const instruction_table> all_tables() {
    static const instruction_table tables[] = {
        control_table(),        wait_table(),
        message_table(),        scalar_integer_table(),
        scalar_compare_table(), scalar_float_table(),
        scalar_mask_table(),    scalar_memory_table(),
        vector_integer_table(), vector_bits_table(),
        vector_short_table(),   vector_float_table(),
        vector_half_table(),    vector_double_table(),
        vector_convert_table(), vector_transcendental_table(),
        vector_packed_table(),  vector_dot_table(),
        vector_lane_table(),    compare_table(),
        matrix_table(),         global_table(),
        global_atomic_table(),  scratch_table(),
        buffer_table(),         lds_table(),
        lds_atomic_table(),
    };
    return tables;
}

const instruction* find_instruction(std::string_view name) {
    static const auto by_name = [] {
        std::unordered_map<std::string_view, const instruction*> map;
        for (const instruction_table table : all_tables())
            for (const instruction& entry : table)
                map.emplace(entry.name, &entry);
        return map;
    }();
    const auto found = by_name.find(name);
    if (found != by_name.end()) return found->second;
    // Halves of VOPD pairs are the ordinary instructions.
    constexpr std::string_view dual = "v_dual_";
    if (!name.starts_with(dual)) return nullptr;
    const std::string single = "v_" + std::string(name.substr(dual.size()));
    const auto base = by_name.find(single);
    return base == by_name.end() ? nullptr : base->second;
}

} // namespace r9v_emulator
