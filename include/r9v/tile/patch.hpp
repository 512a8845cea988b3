// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// A convolution's map as a matrix: its rows are the pixels of the result, its columns the elements
// of the map under the filter there, tap by tap. Nothing is copied: loaders walk the map itself.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI::tile {

/// The rows of that matrix which a block multiplies.
struct patch_panel {
    const char* map;     ///< channel 0 of the block's group, pixel (0, 0) of image 0
    std::uint32_t pixel; ///< of the block's first row
    int rows;            ///< that exist from there on, at least 1
};

/// Where the filter's taps lie in the map for each pixel of the result. Strides in bytes.
struct patch_geometry {
    divisor of_image; ///< pixels of one image of the result
    divisor of_row;   ///< and of one of its rows
    std::int32_t height = 0;
    std::int32_t width = 0;
    std::int32_t channels = 0; ///< that the filter sees: those of a group
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
    /// Slabs of a tap in the packed filter; taps are rows of the filter where `whole_rows` (filters
    /// over few channels), with channels running fastest.
    std::int32_t slabs = 1;
    std::int32_t whole_rows = 0;
    divisor of_columns;  ///< filter_columns
    divisor of_channels; ///< channels

    /// A pixel of the result: its image, and where in the map its first tap lies (in the padding
    /// where negative).
    struct origin {
        std::uint32_t image;
        std::int32_t h;
        std::int32_t w;
    };
    [[nodiscard]] R9V_HD constexpr origin origin_of(std::uint32_t pixel) const {
        const std::uint32_t image = of_image.quotient(pixel);
        const std::uint32_t in_image = pixel - image * of_image.value;
        const std::uint32_t p = of_row.quotient(in_image);
        const std::uint32_t q = in_image - p * of_row.value;
        return {image, static_cast<std::int32_t>(p) * stride_height - pad_top,
                static_cast<std::int32_t>(q) * stride_width - pad_left};
    }

    /// The same of row `row` of a panel, clamped to those that exist.
    [[nodiscard]] R9V_HD constexpr origin origin_of(const patch_panel& of, int row) const {
        return origin_of(of.pixel + static_cast<std::uint32_t>(row < of.rows ? row : of.rows - 1));
    }

    /// Bit r: row r of the filter is inside the map at `at`; bit 16 + s: column s is. For filters
    /// of up to 16 x 16 taps.
    static constexpr int most_taps = 16;
    [[nodiscard]] R9V_HD constexpr std::uint32_t taps_inside(const origin& at) const {
        std::uint32_t inside = 0;
        for (int r = 0; r < filter_rows; ++r)
            if (is_below(at.h + r * dilation_height, height)) inside |= 1u << r;
        for (int s = 0; s < filter_columns; ++s)
            if (is_below(at.w + s * dilation_width, width)) inside |= 0x10000u << s;
        return inside;
    }

    /// What lies under a tap of a pixel that begins at `from`: a pixel of the map, where inside.
    [[nodiscard]] R9V_HD constexpr origin under(const origin& from, int row, int column) const {
        return {from.image, from.h + row * dilation_height, from.w + column * dilation_width};
    }
    /// Whether it `exists` for other reasons and is inside. (One chain of conditions, uniform ones
    /// first: compilers make scalar code of it.)
    [[nodiscard]] R9V_HD constexpr bool is_inside(const origin& at, bool exists = true) const {
        return exists && is_below(at.h, height) && is_below(at.w, width);
    }
    /// The image that the ops in front see; `exists`: `at` is inside.
    [[nodiscard]] R9V_HD constexpr std::uint32_t image_of(const origin& at, bool) const {
        return at.image;
    }
    /// Bytes from pixel (0, 0) of image 0 to a pixel, and to the tap at (row, column).
    [[nodiscard]] R9V_HD constexpr index_t bytes_to(const origin& at) const {
        return at.image * image_bytes + at.h * row_bytes + at.w * pixel_bytes;
    }
    [[nodiscard]] R9V_HD constexpr index_t bytes_to_tap(int row, int column) const {
        return row * dilation_height * row_bytes + column * dilation_width * pixel_bytes;
    }
    /// Rows of taps, one after another.
    [[nodiscard]] R9V_HD constexpr std::int32_t rows_of_taps() const { return filter_rows; }

    /// The corner of the padding that lanes count from, for a block whose first pixel is `pixel`;
    /// and a lane's distance from there in bytes.
    [[nodiscard]] R9V_HD constexpr origin corner_of(std::uint32_t pixel) const {
        return {of_image.quotient(pixel), -pad_top, -pad_left};
    }
    [[nodiscard]] R9V_HD constexpr std::uint32_t bytes_between(const origin& corner,
                                                               const origin& at) const {
        return (at.image - corner.image) * static_cast<std::uint32_t>(image_bytes) +
               static_cast<std::uint32_t>(at.h - corner.h) * static_cast<std::uint32_t>(row_bytes) +
               static_cast<std::uint32_t>(at.w - corner.w) *
                   static_cast<std::uint32_t>(pixel_bytes);
    }

    [[nodiscard]] static R9V_HD constexpr bool is_below(std::int32_t at, std::int32_t end) {
        return static_cast<std::uint32_t>(at) < static_cast<std::uint32_t>(end);
    }
};

} // namespace r9v::inline R9V_ABI::tile
