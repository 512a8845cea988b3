// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// How pools share their work, and what their kernels are told beside the program.
#pragma once

#include <r9v/core/integers.hpp>
#include <r9v/tile/raster.hpp>

namespace r9v::inline R9V_ABI {

/// How a pool's kernel works.
enum class pool_regime {
    direct, ///< every lane loads what its window covers: any map, any window
    staged, ///< a block loads its part of the map once, into LDS: whole runs of contiguous channels
};

struct pool_tile {
    pool_regime regime = pool_regime::direct;
    int threads = 256;
    friend constexpr bool operator==(const pool_tile&, const pool_tile&) = default;
};

/// Channels that a lane takes.
inline constexpr int pool_run = 8;
/// LDS of a block that stages maps: two of them share a compute unit.
inline constexpr int staged_bytes = 32 * 1024;

/// How maps are staged: a block loads the region of the map that its tile of the result sees, some
/// chunks of its channels at a time.
struct staged_shape {
    std::int32_t tile_height = 0;
    std::int32_t region_height = 0;
    tile::divisor tile_width;
    tile::divisor region_width;
    tile::divisor chunks; ///< of a block
    tile::divisor groups; ///< of chunks; then tiles, and all of an image's
    tile::divisor across;
    tile::divisor down;
    std::int32_t whole_chunks = 1; ///< channels are contiguous and a multiple of 8
};

struct pool_geometry {
    tile::divisor chunks;   ///< runs of channels of a pixel
    tile::divisor of_row;   ///< pixels of a row of the result
    tile::divisor of_image; ///< rows of the result
    tile::divisor dilation_height;
    tile::divisor dilation_width;
    tile::divisor groups;     ///< blocks of an image, for means over whole maps
    std::uint32_t pixels = 0; ///< of the result
    staged_shape staged;

    void attach(void*) {}
};

/// Taps of a window along an axis that lie in the map: from `begin` to before `end`.
struct tap_range {
    std::int32_t begin = 0;
    std::int32_t end = 0;

    /// `from` is where tap 0 lies, in the padding where negative.
    [[nodiscard]] R9V_HD static constexpr tap_range
    of(std::int32_t from, std::int32_t window, const tile::divisor& dilation, std::int32_t size) {
        const auto steps = [&](std::int32_t distance) { // rounded up
            return distance <= 0 ? 0
                                 : static_cast<std::int32_t>(dilation.quotient(
                                       static_cast<std::uint32_t>(distance) + dilation.value - 1));
        };
        const std::int32_t end = steps(size - from);
        return {steps(-from), end < window ? end : window};
    }
    [[nodiscard]] R9V_HD constexpr std::int32_t count() const {
        return end > begin ? end - begin : 0;
    }
};

} // namespace r9v::inline R9V_ABI
