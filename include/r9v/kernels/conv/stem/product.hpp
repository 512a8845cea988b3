// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The main loop of a stem: pixels from the band in LDS, weights from global memory in the order in
// which they are packed, without a barrier.
#pragma once

#include <r9v/kernels/conv/stem/place.hpp>
#include <r9v/tile/slab.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// Multiplies `Fragments` * 16 pixels of a wave with `Columns` * 16 output channels.
template<class Element, int Fragments, int Columns>
class stem_product {
public:
    using sums_type = arch::floats8[Fragments][Columns];

    template<class Filter>
    R9V_INLINE stem_product(const Filter& f, const stem_geometry& g, const stem_place& place,
                            const stem_pixels<Fragments>& pixels, arch::local_bytes band)
        : band_{band},
          row_{static_cast<std::int32_t>(f.extents.s * f.extents.c)},
          pitch_{g.band.pitch * g.map.dilation_height},
          pairs_{static_cast<std::int32_t>(f.extents.r / 2)},
          steps_{g.steps},
          left_{row_} {
        const auto half = static_cast<std::uint32_t>(lane().column / chunk);
        half_row_ = half * static_cast<std::uint32_t>(pitch_);
        R9V_UNROLL
        for (int i = 0; i < Fragments; ++i) {
            const stem_pixel& at = pixels.at[i];
            const auto across = static_cast<std::uint32_t>(at.x * g.map.stride_width);
            pixel_[i] = static_cast<std::uint32_t>(at.y * g.map.stride_height * g.band.pitch) +
                        2 * g.band.slot(across) * static_cast<std::uint32_t>(g.map.channels) +
                        half_row_;
        }
        const std::int32_t last = (g.channels - 1) / arch::fragment_size;
        R9V_UNROLL
        for (int c = 0; c < Columns; ++c) {
            const std::int32_t block =
                tile::detail::min(place.channel / arch::fragment_size + c, last);
            weights_[c] = arch::to_global(f.data) + index_t{block} * g.steps * step_bytes;
        }
        keep_in_last(row_);
        if (pairs_ == 0) enter_last_row();
    }

    R9V_INLINE void multiply(sums_type& sums) {
        arch::words4 even[Columns];
        arch::words4 odd[Columns];
        load(0, even);
        std::int32_t step = steps_ % 2;
        if (step != 0) {
            multiply_step(even, sums);
            load(1, even);
        }
        // One exit and loads in every step: weights and sums stay in their registers.
        R9V_ROLLED
        for (; step < steps_; step += 2) {
            load(step + 1, odd);
            multiply_step(even, sums);
            load(step + 2, even);
            multiply_step(odd, sums);
        }
    }

private:
    static constexpr int chunk = 8;
    static constexpr int step_bytes = 2 * 16 * 16;

    static R9V_INLINE arch::fragment_position lane() {
        return arch::operand_position(static_cast<int>(arch::lane_index()), 0);
    }

    /// The weights of step `step`, or of the last one again.
    R9V_INLINE void load(std::int32_t step, arch::words4 (&w)[Columns]) const {
        const auto exists = static_cast<std::uint32_t>(tile::detail::min(step, steps_ - 1));
        std::uint32_t away = arch::lane_index() * 16 + exists * step_bytes;
        arch::hide(away);
        R9V_UNROLL
        for (int c = 0; c < Columns; ++c)
            w[c] = arch::load_global<16>(weights_[c], away);
        arch::schedule_fence();
    }

    R9V_INLINE void multiply_step(const arch::words4 (&w)[Columns], sums_type& sums) {
        arch::words4 x[Fragments];
        R9V_UNROLL
        for (int i = 0; i < Fragments; ++i)
            x[i] = arch::load_local_unaligned(band_, pixel_[i] + at_);
        if (left_ < needed_) {
            R9V_UNROLL
            for (int i = 0; i < Fragments; ++i)
                x[i] &= kept_;
        }
        R9V_UNROLL
        for (int c = 0; c < Columns; ++c)
            R9V_UNROLL
        for (int i = 0; i < Fragments; ++i)
            sums[i][c] = arch::multiply_add<Element>(w[c], x[i], sums[i][c]);
        arch::schedule_fence();
        advance();
    }

    R9V_INLINE void advance() {
        left_ -= needed_;
        at_ += static_cast<std::uint32_t>(2 * needed_);
        const bool ends = left_ <= 0; // the next two rows
        row_at_ += ends ? static_cast<std::uint32_t>(2 * pitch_) : 0u;
        at_ = ends ? row_at_ : at_;
        left_ = ends ? row_ : left_;
        pairs_ -= ends ? 1 : 0;
        if (ends && pairs_ == 0) enter_last_row();
    }

    /// From here on, both halves of the wave read the same row of the filter.
    R9V_INLINE void enter_last_row() {
        needed_ = 2 * chunk;
        keep_in_last(row_ - lane().column);
        R9V_UNROLL
        for (int i = 0; i < Fragments; ++i)
            pixel_[i] += static_cast<std::uint32_t>(2 * lane().column) - half_row_;
    }

    /// What a lane keeps of its chunk in the last step of a row: elements of the filter's row, of
    /// which `elements` exist from the lane's first chunk on. What follows in the map is no part of
    /// the sum, whatever it is.
    R9V_INLINE void keep_in_last(std::int32_t elements) {
        constexpr std::uint32_t all = ~0u;
        const std::int32_t before = (row_ - 1) / needed_ * needed_;
        kept_ = tile::keep_first(arch::words4{all, all, all, all}, elements - before);
    }

    arch::local_bytes band_;
    std::int32_t row_;   ///< elements of a row of the filter
    std::int32_t pitch_; ///< from one to the next in the band
    std::int32_t pairs_; ///< of rows that are left
    std::int32_t steps_;
    std::int32_t left_;           ///< elements of the row from the step's first on
    std::int32_t needed_ = chunk; ///< of them, for all lanes to have 8
    std::uint32_t at_ = 0;        ///< of the step, from the pixels on
    std::uint32_t row_at_ = 0;
    std::uint32_t half_row_;
    arch::words4 kept_; ///< bits of a chunk in the last step of a row
    std::uint32_t pixel_[Fragments];
    arch::global_bytes weights_[Columns];
};

} // namespace r9v::inline R9V_ABI::kernels
