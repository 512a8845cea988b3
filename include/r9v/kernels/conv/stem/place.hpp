// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which part of the result a block of a stem kernel computes, and which pixels of it a lane has.
#pragma once

#include <r9v/kernels/conv/stem/geometry.hpp>
#include <r9v/kernels/conv/stem/stage.hpp>
#include <r9v/kernels/conv/stem/tuning.hpp>
#include <r9v/tile/slab.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// A tile: its first pixel in the convolution's result (outside of it where a pool is padded) and
/// its output channels.
struct stem_place {
    index_t image;
    std::int32_t tile_row;
    std::int32_t tile_column;
    std::int32_t row;
    std::int32_t column;
    std::int32_t channel;
    std::int32_t channels; ///< that exist
    std::int32_t part;     ///< which of a pixel's parts, for taps

    template<stem_tile Tile>
    R9V_INLINE static stem_place of(const stem_geometry& g) {
        const stem_tiles& tiles = g.tiles;
        const std::uint32_t block = arch::block_x();
        const std::uint32_t of_pixels = tiles.of_channels.quotient(block);
        const std::uint32_t of_rows = tiles.of_columns.quotient(of_pixels);
        const std::uint32_t image = tiles.of_rows.quotient(of_rows);
        stem_place place;
        place.image = image;
        place.part = static_cast<std::int32_t>(block - of_pixels * tiles.of_channels.value);
        place.tile_column = static_cast<std::int32_t>(of_pixels - of_rows * tiles.of_columns.value);
        place.tile_row = static_cast<std::int32_t>(of_rows - image * tiles.of_rows.value);
        place.row = tiles.first_row + place.tile_row * tiles.step_height;
        place.column = tiles.first_column + place.tile_column * tiles.step_width;
        place.channel = place.part * Tile.n;
        place.channels = tile::detail::min(g.channels - place.channel, Tile.n);
        return place;
    }

    /// Where in the map the band under the tile begins.
    [[nodiscard]] R9V_INLINE band_origin band(const stem_map& map) const {
        return {image, row * map.stride_height - map.pad_top,
                column * map.stride_width - map.pad_left};
    }
};

/// A pixel of a tile.
struct stem_pixel {
    std::int32_t y;
    std::int32_t x;
};

/// This lane's pixels: one of each of its wave's fragments, which follow on one another in the
/// tile. The last one of the tile again where there are no more.
template<int Fragments>
struct stem_pixels {
    stem_pixel at[Fragments];

    R9V_INLINE explicit stem_pixels(const stem_tiles& tiles) {
        const int lane = arch::operand_position(static_cast<int>(arch::lane_index()), 0).row;
        R9V_UNROLL
        for (int i = 0; i < Fragments; ++i) {
            const int number = tile::detail::min(first(i) + lane, tiles.height * tiles.width - 1);
            const std::uint32_t y = tiles.of_width.quotient(static_cast<std::uint32_t>(number));
            at[i] = {static_cast<std::int32_t>(y),
                     number - static_cast<std::int32_t>(y) * tiles.width};
        }
    }
    /// The first pixel of a fragment, in the tile counted through.
    [[nodiscard]] R9V_INLINE static int first(int i) {
        return (static_cast<int>(arch::wave_index()) * Fragments + i) * arch::fragment_size;
    }
};

} // namespace r9v::inline R9V_ABI::kernels
