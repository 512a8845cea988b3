// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The product where weights are not all finite. The matrix instruction would multiply them with the
// zeros of the padding, and zero times infinity is not zero; here taps in the padding are skipped.
// Right, and slow: such weights are a mistake of training, not a case to be fast in.
#pragma once

#include <r9v/kernels/conv/filter.hpp>
#include <r9v/tile/device_math.hpp>
#include <r9v/tile/patch.hpp>
#include <r9v/tile/slab.hpp>

#include <utility>

namespace r9v::inline R9V_ABI::kernels {

/// What pack_filter() wrote behind the weights.
template<class Filter>
[[nodiscard]] R9V_INLINE bool has_only_finite_weights(const Filter& f) {
    const auto* trailer = f.data + f.extents.k * r9v::detail::packed_row(f.extents);
    return arch::load_constant<2>(arch::to_global(trailer), 0u) == 0;
}

/// `Panel` (of the weights) may know where a tap's weights are: tap_place(r, s), in elements of k.
template<class Element, class Treat, class Panel = tile::panel, class Map = tile::patch_geometry>
class tap_by_tap {
public:
    R9V_INLINE tap_by_tap(const Map& map, const Treat& treat, const tile::patch_panel& x,
                          const Panel& w)
        : map_{map},
          treat_{treat},
          x_{x},
          w_{w} {}

    /// sums += the block's rows from `row` on times its columns from `column` on.
    template<int Rows, int Columns>
    R9V_INLINE void multiply(int row, int column, arch::floats8 (&sums)[Rows][Columns]) const {
        [&]<int... Is>(std::integer_sequence<int, Is...>) {
            (add_fragment(row + Is / Columns * arch::fragment_size,
                          column + Is % Columns * arch::fragment_size,
                          sums[Is / Columns][Is % Columns]),
             ...);
        }(std::make_integer_sequence<int, Rows * Columns>{});
    }

private:
    R9V_INLINE void add_fragment(int row, int column, arch::floats8& sums) const {
        const auto lane = arch::result_position(static_cast<int>(arch::lane_index()), 0);
        const int pixel = tile::detail::min(row + lane.row, x_.rows - 1);
        add(map_.origin_of(x_.pixel + static_cast<std::uint32_t>(pixel)), column + lane.column,
            sums);
    }

    R9V_INLINE void add(const typename Map::origin& from, int column, arch::floats8& sums) const {
        R9V_ROLLED
        for (int r = 0; r < map_.rows_of_taps(); ++r) {
            R9V_ROLLED
            for (int s = 0; s < map_.filter_columns; ++s) {
                const auto at = map_.under(from, r, s);
                if (!map_.is_inside(at)) continue;
                const std::int32_t weights = tap_place(r, s);
                R9V_ROLLED
                for (int channel = 0; channel < map_.channels; ++channel)
                    add_products(pixel(at, channel), column, weights + channel, sums);
            }
        }
    }

    R9V_INLINE std::int32_t tap_place(int r, int s) const {
        if constexpr (requires { w_.tap_place(r, s); }) {
            return w_.tap_place(r, s);
        } else {
            const std::int32_t depth = map_.slabs * tile::slab_depth;
            return map_.whole_rows != 0 ? r * depth + s * map_.channels
                                        : (r * map_.filter_columns + s) * depth;
        }
    }

    R9V_INLINE float pixel(const typename Map::origin& at, std::int32_t channel) const {
        const index_t place = map_.bytes_to(at) + channel * map_.channel_bytes;
        std::uint16_t bits = arch::load_global<2>(arch::to_global(x_.map), place);
        if constexpr (Treat::changes)
            bits = treat_.single(bits, map_.image_of(at, true), at.h, at.w, channel, true);
        return arch::element_to_float<Element>(bits, 0);
    }

    R9V_INLINE void add_products(float value, int column, std::int32_t k,
                                 arch::floats8& sums) const {
        R9V_UNROLL
        for (int i = 0; i < 8; ++i) {
            const int row = tile::detail::min(column + i, w_.rows - 1);
            const std::uint16_t bits =
                arch::load_global<2>(w_.base, row * w_.row_stride + k * w_.k_stride);
            sums[i] = arch::fma(value, arch::element_to_float<Element>(bits, 0), sums[i]);
        }
    }

    const Map& map_;
    const Treat& treat_;
    tile::patch_panel x_;
    Panel w_;
};

} // namespace r9v::inline R9V_ABI::kernels
