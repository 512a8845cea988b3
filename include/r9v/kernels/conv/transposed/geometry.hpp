// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What the kernel of a transposed convolution is told beside its program, and what it makes of it
// for one phase.
#pragma once

#include <r9v/kernels/conv/transposed/phases.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tile/patch.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

/// The convolution that computes one phase: of the map, over the pixels (p, q), (p, q + stride),
/// ... of the result.
struct conv_phase {
    tile::patch_geometry map;
    index_t pixels = 0; ///< of all images
    std::int32_t p = 0;
    std::int32_t q = 0;
    std::int32_t height = 0; ///< of the whole result
    std::int32_t width = 0;
    std::int32_t stride_height = 1; ///< of the result's pixels
    std::int32_t stride_width = 1;
    std::int32_t tap_row = 0; ///< the first tap, and how far apart the others are
    std::int32_t tap_column = 0;
    std::int32_t step_rows = 1;
    std::int32_t step_columns = 1;

    [[nodiscard]] R9V_HD constexpr bool has_taps() const {
        return map.filter_rows > 0 && map.filter_columns > 0;
    }
    /// From the phase's pixels counted through, as `row`, to those of the whole result, in the
    /// lane's offset.
    [[nodiscard]] R9V_HD constexpr coordinate flattened(coordinate at) const {
        const auto pixel = static_cast<std::uint32_t>(at.row());
        const std::uint32_t image = map.of_image.quotient(pixel);
        const std::uint32_t in_image = pixel - image * map.of_image.value;
        const std::uint32_t row = map.of_row.quotient(in_image);
        const std::uint32_t column = in_image - row * map.of_row.value;
        const std::int32_t down = static_cast<std::int32_t>(image) * height +
                                  static_cast<std::int32_t>(row) * stride_height;
        at.row_base = index_t{p} * width + q;
        at.row_offset = down * width + static_cast<std::int32_t>(column) * stride_width;
        return at;
    }
    /// The same to image, row and column of the result.
    [[nodiscard]] R9V_HD constexpr coordinate located(coordinate at) const {
        const auto pixel = static_cast<std::uint32_t>(at.row());
        const std::uint32_t image = map.of_image.quotient(pixel);
        const std::uint32_t in_image = pixel - image * map.of_image.value;
        const std::uint32_t row = map.of_row.quotient(in_image);
        const std::uint32_t column = in_image - row * map.of_row.value;
        // Unsigned: wide products with them are shorter.
        at.batch_base = image;
        at.head_base =
            row * static_cast<std::uint32_t>(stride_height) + static_cast<std::uint32_t>(p);
        at.row_base =
            column * static_cast<std::uint32_t>(stride_width) + static_cast<std::uint32_t>(q);
        at.row_offset = 0;
        return at;
    }
};

struct conv_transpose_geometry {
    index_t images = 0;
    index_t n = 0; ///< output channels of a group
    index_t groups = 1;
    tile::raster tiles;   ///< of the largest phase, groups as batches
    tile::divisor phases; ///< neighbouring blocks are phases of the same pixels
    tile::divisor phases_across;
    phase_axis height;
    phase_axis width;
    tile::divisor taps_across[2]; ///< that phases may have
    /// Pixels of a row and of an image of a phase: [1] of those with one row or column less.
    tile::divisor columns[2];
    tile::divisor pixels[2][2];
    tile::patch_geometry map; ///< what all phases have in common
    tile::divisor of_image;   ///< of the whole result
    tile::divisor of_row;
    index_t rows = 0;
    /// A run of 8 channels may be used: groups of columns do not end within one.
    std::int32_t whole_runs = 0;
    /// And one number, of 32 bits, says where a pixel is in every operand.
    std::int32_t wide_chain = 0;
    float* partials = nullptr;
    std::int32_t parts = 1;

    void attach(void* scratch) { partials = static_cast<float*>(scratch); }

    [[nodiscard]] R9V_HD constexpr index_t row_count() const { return rows; }
    [[nodiscard]] R9V_HD constexpr index_t row_number(const coordinate& at) const {
        return (at.batch() * height.size + at.head()) * width.size + at.row();
    }
    [[nodiscard]] R9V_HD constexpr coordinate row_at(index_t number) const {
        const auto pixel = static_cast<std::uint32_t>(number);
        const std::uint32_t image = of_image.quotient(pixel);
        const std::uint32_t in_image = pixel - image * of_image.value;
        const std::uint32_t p = of_row.quotient(in_image);
        return {.batch_base = image, .row_base = in_image - p * of_row.value, .head_base = p};
    }
    /// The first of a pixel's `parts` partial results for stateful tap number `tap` of the chain.
    [[nodiscard]] R9V_HD constexpr float* partials_of(int tap, index_t pixel) const {
        return partials + (tap * rows + pixel) * parts;
    }

    [[nodiscard]] R9V_HD constexpr conv_phase phase(std::uint32_t number) const {
        const std::uint32_t down = phases_across.quotient(number);
        conv_phase to;
        to.map = map;
        to.p = static_cast<std::int32_t>(down);
        to.q = static_cast<std::int32_t>(number - down * phases_across.value);
        const axis_phase rows_of = height.at(to.p);
        const axis_phase columns_of = width.at(to.q);
        to.map.filter_rows = rows_of.taps;
        to.map.filter_columns = columns_of.taps;
        to.map.of_columns =
            taps_across[static_cast<std::uint32_t>(columns_of.taps) == taps_across[0].value ? 0
                                                                                            : 1];
        to.map.pad_top = -rows_of.first;
        to.map.pad_left = -columns_of.first;
        const bool fewer_rows = to.p >= height.first_short();
        const bool fewer_columns = to.q >= width.first_short();
        to.map.of_row = columns[fewer_columns ? 1 : 0];
        to.map.of_image = pixels[fewer_rows ? 1 : 0][fewer_columns ? 1 : 0];
        to.pixels = images * rows_of.size * columns_of.size;
        to.height = height.size;
        to.width = width.size;
        to.stride_height = static_cast<std::int32_t>(height.stride.value);
        to.stride_width = static_cast<std::int32_t>(width.stride.value);
        to.tap_row = rows_of.tap;
        to.tap_column = columns_of.tap;
        to.step_rows = static_cast<std::int32_t>(height.step.value);
        to.step_columns = static_cast<std::int32_t>(width.step.value);
        return to;
    }
};

} // namespace r9v::inline R9V_ABI
