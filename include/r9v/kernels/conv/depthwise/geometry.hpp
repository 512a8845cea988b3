// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a depthwise kernel is told beside its program: where the map lies in memory, and how blocks
// share the result. Channels are counted in chunks of 8, pixels along a row in runs.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

struct depthwise_geometry {
    std::int32_t height = 0; ///< of the map
    std::int32_t width = 0;
    std::int32_t rows = 0; ///< of the result
    std::int32_t columns = 0;
    std::int32_t outputs = 0; ///< channels of the result
    tile::divisor multiplier; ///< output channels of an input channel
    tile::divisor of_columns; ///< columns of the result
    tile::divisor of_image;   ///< pixels of one image of the result
    tile::divisor of_outputs; ///< chunks of the result's channels
    index_t pixels = 0;       ///< of the result, of all images
    std::int32_t filter_rows = 1;
    std::int32_t filter_columns = 1;
    std::int32_t stride_height = 1;
    std::int32_t stride_width = 1;
    std::int32_t dilation_height = 1;
    std::int32_t dilation_width = 1;
    std::int32_t pad_top = 0;
    std::int32_t pad_left = 0;
    index_t image_bytes = 0; ///< strides of the map
    index_t row_bytes = 0;
    index_t pixel_bytes = 0;
    index_t channel_bytes = 0;

    // A block's part of the result: rows, runs of pixels, and a group of chunks.
    tile::divisor groups; ///< of chunks
    tile::divisor across; ///< blocks beside one another
    tile::divisor down;   ///< and below one another
    std::int32_t tile_rows = 1;
    tile::divisor tile_runs;
    tile::divisor tile_chunks; ///< of output channels
    // What it stages in LDS: a part of the map, in chunks.
    tile::divisor stage_chunks; ///< of input channels
    tile::divisor stage_columns;
    tile::divisor stage_pixels;
    std::int32_t stage_rows = 0;
    std::int32_t pitch = 0; ///< chunks from a row to the next, in LDS
    /// Rows, columns and chunks from what a thread loads to what it loads next.
    std::int32_t step_rows = 0;
    std::int32_t step_columns = 0;
    std::int32_t step_chunks = 0;
    /// The map has contiguous channels, a multiple of 8: 16-byte loads.
    std::int32_t wide_map = 0;
    /// Columns of the filter and stride where a kernel is unrolled for them; no columns: none is.
    std::int32_t window_columns = 0;
    std::int32_t window_stride = 0;

    /// Neighbouring pixels are equally far apart in every operand, images included, no op wants to
    /// know where it stands, and 32-bit lane offsets reach all of a tile: runs of 8 may be used.
    std::int32_t wide_chain = 0;
    /// Scratch memory of taps that merge in order; every chunk is a part of its pixel.
    float* partials = nullptr;
    std::int32_t parts = 1;

    void attach(void* scratch) { partials = static_cast<float*>(scratch); }

    [[nodiscard]] R9V_HD constexpr index_t row_count() const { return pixels; }
    [[nodiscard]] R9V_HD constexpr index_t pixel_of(index_t image, index_t p, index_t q) const {
        return (image * rows + p) * columns + q;
    }
    /// Pixels counted through, from image, row and column.
    [[nodiscard]] R9V_HD constexpr index_t row_number(const coordinate& at) const {
        return pixel_of(at.batch(), at.head(), at.row());
    }
    [[nodiscard]] R9V_HD constexpr coordinate row_at(index_t pixel) const {
        const auto number = static_cast<std::uint32_t>(pixel);
        const std::uint32_t image = of_image.quotient(number);
        const std::uint32_t in_image = number - image * of_image.value;
        const std::uint32_t p = of_columns.quotient(in_image);
        return {.batch_base = image, .row_base = in_image - p * of_columns.value, .head_base = p};
    }
    [[nodiscard]] R9V_HD constexpr float* partials_of(int tap, index_t pixel) const {
        return partials + (tap * pixels + pixel) * parts;
    }
    [[nodiscard]] static R9V_HD constexpr bool is_below(std::int32_t at, std::int32_t end) {
        return static_cast<std::uint32_t>(at) < static_cast<std::uint32_t>(end);
    }
};

} // namespace r9v::inline R9V_ABI
