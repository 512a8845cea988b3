// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The product where weights are not all finite, or where a band is too large for LDS: tap by tap,
// and taps in the padding are skipped. Right for everything, and slow.
#pragma once

#include <r9v/kernels/conv/filter.hpp>
#include <r9v/kernels/conv/stem/place.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// What pack_stem_filter() wrote behind the weights.
template<class Filter>
[[nodiscard]] R9V_INLINE bool has_only_finite_stem_weights(const Filter& f) {
    const auto* trailer = f.data + r9v::detail::stem_layout{f.extents}.elements(f.extents.k);
    return arch::load_constant<2>(arch::to_global(trailer), 0u) == 0;
}

template<class Head>
class stem_tap_by_tap {
    using element = typename Head::element;

public:
    R9V_INLINE stem_tap_by_tap(const Head& head, const stem_geometry& g, const stem_place& place)
        : head_{head},
          g_{g},
          place_{place},
          layout_{head.f.extents},
          image_{arch::to_global(head.x.view.data) + place.image * g.map.image_bytes} {}

    /// One body for all fragments. Registers have no index that is not a constant.
    template<int Fragments, int Columns>
    R9V_INLINE void multiply(const stem_pixels<Fragments>& pixels,
                             arch::floats8 (&sums)[Fragments][Columns]) const {
        R9V_ROLLED
        for (int number = 0; number < Fragments * Columns; ++number) {
            stem_pixel at = pixels.at[0];
            R9V_UNROLL
            for (int i = 1; i < Fragments; ++i)
                if (number / Columns == i) at = pixels.at[i];
            const arch::floats8 sum = sum_of(at, number % Columns);
            R9V_UNROLL
            for (int i = 0; i < Fragments * Columns; ++i)
                if (number == i) sums[i / Columns][i % Columns] = sum;
        }
    }

private:
    [[nodiscard]] R9V_INLINE arch::floats8 sum_of(const stem_pixel& at, int fragment) const {
        arch::floats8 sums{};
        const stem_map& map = g_.map;
        const auto lane = arch::result_position(static_cast<int>(arch::lane_index()), 0);
        const std::int32_t last = (g_.channels - 1) / arch::fragment_size;
        const std::int32_t block =
            tile::detail::min(place_.channel / arch::fragment_size + fragment, last);
        const std::int32_t channel = block * arch::fragment_size + lane.column;
        const band_origin from = place_.band(map);
        R9V_ROLLED
        for (int r = 0; r < map.filter_rows; ++r) {
            const std::int32_t h = from.h + at.y * map.stride_height + r * map.dilation_height;
            if (!stem_map::is_below(h, map.height)) continue;
            R9V_ROLLED
            for (int s = 0; s < map.filter_columns; ++s) {
                const std::int32_t w = from.w + at.x * map.stride_width + s * map.dilation_width;
                if (!stem_map::is_below(w, map.width)) continue;
                R9V_ROLLED
                for (int c = 0; c < map.channels; ++c)
                    add_products(pixel(h, w, c), layout_.place(channel, r, s * map.channels + c),
                                 sums);
            }
        }
        return sums;
    }

    R9V_INLINE float pixel(std::int32_t h, std::int32_t w, std::int32_t c) const {
        std::uint16_t bits = arch::load_global<2>(image_, g_.map.offset(h, w, c));
        if constexpr (stem_prologue<Head>::changes)
            bits = stem_prologue<Head>{head_.x.prologue}(bits, place_.image, h, w, c);
        return arch::element_to_float<element>(bits, 0);
    }

    /// Neighbouring output channels are a chunk apart.
    R9V_INLINE void add_products(float value, index_t weights, arch::floats8& sums) const {
        R9V_UNROLL
        for (int i = 0; i < 8; ++i) {
            const std::uint16_t bits = arch::load_global<2>(
                arch::to_global(head_.f.data), 2 * (weights + i * r9v::detail::stem_layout::chunk));
            sums[i] = arch::fma(value, arch::element_to_float<element>(bits, 0), sums[i]);
        }
    }

    const Head& head_;
    const stem_geometry& g_;
    const stem_place& place_;
    r9v::detail::stem_layout layout_;
    arch::global_bytes image_;
};

} // namespace r9v::inline R9V_ABI::kernels
