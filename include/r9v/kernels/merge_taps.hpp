// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The second kernel of programs with ordered taps: one thread adds up the partial results of one
// row, always in the same order, and commits the total.
#pragma once

#include <r9v/kernels/family.hpp>
#include <r9v/tile/finish.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Sends row statistics that merge in order to their place in scratch memory.
template<class Geometry>
struct partials_writer {
    const Geometry& geometry;
    int part;

    R9V_INLINE void operator()(int tap, const coordinate& at, float value) const {
        geometry.partials_of(tap, geometry.row_number(at))[part] = value;
    }
};

/// Threads of a merging block; one row each.
inline constexpr int merge_threads = 128;

/// `Geometry` counts rows (row_count, row_at) and knows where the `parts` partial results of each
/// are (partials_of).
template<class Target, class Program, class Geometry>
R9V_KERNEL(merge_threads)
void merge_taps_kernel([[maybe_unused]] Program program, [[maybe_unused]] Geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        const index_t row = index_t{arch::block_x()} * merge_threads + arch::thread_index();
        if (row >= geometry.row_count()) return;
        const coordinate at = geometry.row_at(row);
        using math = tile::device_math<index_t>;
        typename states_of<math, typename Program::chain_type>::type states;
        for_each_tap<tap_scope::row>(program.chain, states, [&](const auto& op, auto&, int tap) {
            using Op = std::remove_cvref_t<decltype(op)>;
            if constexpr (Op::merge_kind == tap_merge::ordered) {
                const float* parts = geometry.partials_of(tap, row);
                float total = parts[0];
                for (std::int32_t part = 1; part < geometry.parts; ++part)
                    total = op.merge(math{}, total, parts[part]);
                op.commit(math{}, total, at);
            }
        });
    }
}

/// Appends the merge to a plan whose first kernel writes partial results, where the program has
/// taps that need it.
template<class Program, class Plan>
void add_tap_merge(Plan& to) {
    if constexpr (Program::chain_type::ordered_taps > 0) {
        if (to.count == 0) return;
        using geometry = decltype(to.geometry);
        const index_t rows = to.geometry.row_count();
        to.scratch_bytes = static_cast<std::size_t>(rows * to.geometry.parts *
                                                    Program::chain_type::stateful_taps) *
                           sizeof(float);
        to.add(reinterpret_cast<const void*>(&merge_taps_kernel<arch::gfx12, Program, geometry>),
               ceil_div<index_t>(rows, merge_threads), merge_threads);
    }
}

/// The plan of a choice among tiles, whose kernels are `compiled`, with the merge of its taps.
template<class Program, class Plan, class Choice, auto... Tiles>
void add_choice(Plan& to, const Choice& choice, tile_list<Tiles...>,
                const void* const (&compiled)[sizeof...(Tiles)]) {
    constexpr decltype(to.tile) tiles[] = {Tiles...};
    to.geometry = choice.geometry;
    to.tile = tiles[choice.tile];
    to.add(compiled[choice.tile], choice.blocks, to.tile.threads());
    add_tap_merge<Program>(to);
}

} // namespace r9v::inline R9V_ABI::kernels
