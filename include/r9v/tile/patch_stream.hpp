// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Fragments of a convolution's map straight from global memory to registers, a slab of k at a time,
// for waves that share no pixels with others.
#pragma once

#include <r9v/tile/fragment.hpp>
#include <r9v/tile/patch_loader.hpp>

namespace r9v::inline R9V_ABI::tile {

/// 16 * `Fragments` rows, within the limits of patch_walk. `Treat` is that of patch_loader.
template<int Fragments, class Treat = untreated_patches>
class patch_stream {
public:
    struct piece {
        arch::words4 data[slab_steps][Fragments];
        patch_step at;
    };

    R9V_INLINE patch_stream(const patch_geometry& map, const Treat& treat)
        : map_{map},
          treat_{treat},
          walk_{map} {}

    R9V_INLINE void attach(const patch_panel& from) {
        walk_.attach(from, channel(0), [](int i) { return row(i); });
        if constexpr (Treat::changes) {
            R9V_UNROLL
            for (int i = 0; i < Fragments; ++i)
                origin_[i] = map_.origin_of(from, row(i));
        }
    }

    /// Goes to slab `at` of k.
    R9V_INLINE void seek(std::uint32_t at) {
        walk_.seek(at);
        aim();
    }

    /// Loads the next slab.
    R9V_INLINE void load(piece& to) {
        R9V_UNROLL
        for (int step = 0; step < slab_steps; ++step)
            R9V_UNROLL
        for (int i = 0; i < Fragments; ++i)
            to.data[step][i] = arch::load_bounded<16>(walk_.base(), offset_[step][i]);
        to.at = walk_.next();
        if (walk_.advance()) aim();
    }

    /// What there is to multiply in step `step` of a piece.
    [[nodiscard]] R9V_INLINE arch::words4 fragment(const piece& of, int step, int i) const {
        if constexpr (Treat::changes) {
            const bool exists = walk_.is_inside(i, of.at, channel(step));
            return keep_where(exists,
                              treat_(of.data[step][i], origin_[i], of.at, channel(step), exists));
        } else {
            return of.data[step][i];
        }
    }

private:
    R9V_INLINE static arch::fragment_position lane() {
        return arch::operand_position(static_cast<int>(arch::lane_index()), 0);
    }
    R9V_INLINE static int row(int i) { return i * arch::fragment_size + lane().row; }
    R9V_INLINE static int channel(int step) { return step * arch::fragment_size + lane().column; }

    R9V_INLINE void aim() {
        R9V_UNROLL
        for (int step = 0; step < slab_steps; ++step)
            R9V_UNROLL
        for (int i = 0; i < Fragments; ++i)
            offset_[step][i] = walk_.offset(i, channel(step), step * arch::fragment_size);
    }

    const patch_geometry& map_;
    const Treat& treat_;
    patch_walk<Fragments> walk_;
    std::uint32_t offset_[slab_steps][Fragments];
    patch_geometry::origin origin_[Treat::changes ? Fragments : 1];
};

} // namespace r9v::inline R9V_ABI::tile
