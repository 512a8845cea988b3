// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the kernels of stem filters are told beside their program: rectangular tiles of the result,
// and the band of the map that lies under one, as it stands in LDS.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/ops/pooling.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

/// The part of the map under a tile: `rows` rows of `pieces` * 16 bytes in LDS, `pitch` bytes
/// apart. Pixels that the taps of one filter row see stand side by side. Where the filter is
/// dilated along the width, they do so within one of `dilation` phases of `phase` pixels each.
struct stem_band {
    std::int32_t rows = 0;
    std::int32_t pieces = 0;
    std::int32_t pitch = 0;
    std::int32_t phase = 0;
    /// Rows of the map have no gaps between pixels: 16-byte loads.
    std::int32_t dense = 0;
    /// There is room for it in LDS.
    std::int32_t fits = 0;
    tile::divisor of_pieces;   ///< pieces
    tile::divisor of_elements; ///< 8 * pieces
    tile::divisor of_phase;    ///< phase
    tile::divisor of_dilation; ///< the filter's, along the width

    /// Where a pixel stands in its row, counted from the band's first.
    [[nodiscard]] R9V_HD constexpr std::uint32_t slot(std::uint32_t pixel) const {
        const std::uint32_t at = of_dilation.quotient(pixel);
        return (pixel - at * of_dilation.value) * static_cast<std::uint32_t>(phase) + at;
    }
    /// Which pixel stands there.
    [[nodiscard]] R9V_HD constexpr std::uint32_t pixel(std::uint32_t slot) const {
        const std::uint32_t of = of_phase.quotient(slot);
        return (slot - of * of_phase.value) * of_dilation.value + of;
    }
};

/// The map, its strides in bytes, and how the filter slides over it.
struct stem_map {
    std::int32_t height = 0;
    std::int32_t width = 0;
    std::int32_t channels = 0;
    std::int32_t filter_rows = 1;
    std::int32_t filter_columns = 1;
    std::int32_t stride_height = 1;
    std::int32_t stride_width = 1;
    std::int32_t dilation_height = 1;
    std::int32_t dilation_width = 1;
    std::int32_t pad_top = 0;
    std::int32_t pad_left = 0;
    index_t image_bytes = 0;
    index_t row_bytes = 0;
    index_t pixel_bytes = 0;
    index_t channel_bytes = 0;
    tile::divisor of_channels;

    [[nodiscard]] R9V_HD constexpr index_t offset(std::int32_t h, std::int32_t w,
                                                  std::int32_t c) const {
        return h * row_bytes + w * pixel_bytes + c * channel_bytes;
    }
    [[nodiscard]] static R9V_HD constexpr bool is_below(std::int32_t at, std::int32_t end) {
        return static_cast<std::uint32_t>(at) < static_cast<std::uint32_t>(end);
    }
    [[nodiscard]] R9V_HD constexpr bool has(std::int32_t h, std::int32_t w) const {
        return is_below(h, height) && is_below(w, width);
    }
};

/// Tiles of `height` x `width` pixels of the convolution's result, `step_height` and `step_width`
/// apart: less than their size where a pool behind them needs pixels of two tiles. They count
/// channels fastest, then columns, rows and images.
struct stem_tiles {
    std::int32_t height = 1;
    std::int32_t width = 16;
    std::int32_t step_height = 1;
    std::int32_t step_width = 16;
    std::int32_t first_row = 0; ///< of the first tile
    std::int32_t first_column = 0;
    tile::divisor of_width;
    tile::divisor of_channels; ///< tiles side by side in each axis
    tile::divisor of_columns;
    tile::divisor of_rows;
};

struct stem_geometry {
    index_t m = 0;           ///< pixels of the result, of all images
    std::int32_t height = 0; ///< of the convolution's result
    std::int32_t width = 0;
    std::int32_t channels = 0;
    std::int32_t steps = 0; ///< of the matrix instruction: see stem_layout
    stem_map map;
    stem_band band;
    stem_tiles tiles;
    /// The chain's operands allow 32-bit lane offsets, so runs of 8 may be used.
    std::int32_t wide_chain = 0;
    std::int32_t wide_pooled_chain = 0; ///< and those behind the pool
    /// The pool behind the convolution, its result, and the part of it that a block computes.
    pooling pool{.window = 1};
    std::int32_t pooled_height = 0;
    std::int32_t pooled_width = 0;
    std::int32_t pooled_tile_height = 0;
    std::int32_t pooled_tile_width = 0;
    tile::divisor of_pooled_width; ///< of such a part
    /// Scratch memory of taps that merge in order, and how many partial results a pixel has.
    float* partials = nullptr;
    std::int32_t parts = 1;

    void attach(void* scratch) { partials = static_cast<float*>(scratch); }

    [[nodiscard]] R9V_HD constexpr index_t row_count() const { return m; }
    [[nodiscard]] R9V_HD constexpr index_t row_number(const coordinate& at) const {
        return (at.batch() * height + at.head()) * width + at.row();
    }
    [[nodiscard]] R9V_HD constexpr coordinate row_at(index_t pixel) const {
        const index_t row = pixel / width;
        const index_t image = row / height;
        return {.batch_base = image,
                .row_base = pixel - row * width,
                .head_base = row - image * height};
    }
    /// The first of a pixel's `parts` partial results for stateful tap number `tap` of the chain.
    [[nodiscard]] R9V_HD constexpr float* partials_of(int tap, index_t pixel) const {
        return partials + (tap * m + pixel) * parts;
    }
};

} // namespace r9v::inline R9V_ABI
