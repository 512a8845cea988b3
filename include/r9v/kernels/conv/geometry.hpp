// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What a convolution's kernel is told beside its program: the matrix that it multiplies, whose rows
// are all pixels of the result, and where that matrix lies in the map.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/ops/run.hpp>
#include <r9v/tile/patch.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

/// How the waves of a block of the streamed regime are shared out, in powers of two: 1 << m pixels'
/// tiles, times 1 << n channels' tiles, times 1 << k parts of k.
struct wave_split {
    std::int32_t m = 0;
    std::int32_t n = 0;
    std::int32_t k = 0;
    friend constexpr bool operator==(const wave_split&, const wave_split&) = default;
};

struct conv_geometry {
    index_t m = 0;       ///< pixels of the result, of all images
    index_t n = 0;       ///< output channels of a group
    index_t k = 0;       ///< elements of a row of the packed filter
    index_t batches = 1; ///< groups
    tile::raster tiles;
    tile::patch_geometry map;
    wave_split split;
    /// Neighbouring pixels are equally far apart in every operand, images included, and no op wants
    /// to know where it stands: one number says where a pixel is.
    std::int32_t flattened = 0;
    /// The chain's operands also allow 32-bit lane offsets, so runs of 8 may be used.
    std::int32_t wide_chain = 0;
    /// Scratch memory of taps that merge in order, and how many partial results a pixel has.
    float* partials = nullptr;
    std::int32_t parts = 1;

    void attach(void* scratch) { partials = static_cast<float*>(scratch); }

    [[nodiscard]] R9V_HD constexpr index_t row_count() const { return m; }
    [[nodiscard]] R9V_HD constexpr index_t row_number(const coordinate& at) const {
        return at.row();
    }
    [[nodiscard]] R9V_HD constexpr coordinate row_at(index_t pixel) const {
        return located({.row_base = pixel});
    }
    /// The first of a pixel's `parts` partial results for stateful tap number `tap` of the chain.
    [[nodiscard]] R9V_HD constexpr float* partials_of(int tap, index_t pixel) const {
        return partials + (tap * m + pixel) * parts;
    }

    /// From pixels counted through, as `row`, to image, row and column of the map.
    [[nodiscard]] R9V_HD constexpr coordinate located(coordinate at) const {
        if (flattened != 0) return at;
        const auto pixel = static_cast<std::uint32_t>(at.row());
        const std::uint32_t image = map.of_image.quotient(pixel);
        const std::uint32_t in_image = pixel - image * map.of_image.value;
        const std::uint32_t p = map.of_row.quotient(in_image);
        at.batch_base = image;
        at.head_base = p;
        at.row_base = in_image - p * map.of_row.value;
        at.row_offset = 0;
        return at;
    }
};

} // namespace r9v::inline R9V_ABI
