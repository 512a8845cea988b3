// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tiles that convolutions with stem filters are compiled for. Host code only.
#pragma once

#include <r9v/kernels/conv/problem.hpp>
#include <r9v/kernels/family.hpp>

namespace r9v::inline R9V_ABI {

/// What one block computes: up to m pixels and n output channels of the result. Each wave has all
/// n channels of its pixels.
struct stem_tile {
    int m = 128;
    int n = 64;
    int waves = 4;

    [[nodiscard]] R9V_HD constexpr int threads() const { return waves * 32; }
    friend constexpr bool operator==(const stem_tile&, const stem_tile&) = default;
};

namespace detail {

inline constexpr stem_tile wide_stem_tile{};
inline constexpr stem_tile narrow_stem_tile{.m = 256, .n = 32};
/// Behind it stands a pool: more pixels, since those at its border are computed twice.
inline constexpr stem_tile pooled_stem_tile{.m = 256, .n = 64, .waves = 8};

/// Bytes of LDS for the part of the map under a tile.
inline constexpr int stem_band_bytes = 16384;

template<class Chain>
constexpr auto default_stem_tiles() {
    if constexpr (Chain::has_pool) {
        return tile_list<pooled_stem_tile>{};
    } else {
        return tile_list<wide_stem_tile, narrow_stem_tile>{};
    }
}

/// Whether a kernel can be built with this tile.
constexpr bool is_valid_stem_tile(const stem_tile& t) {
    if (t.waves < 1 || t.waves > 8 || t.n < 16 || t.n % 16 != 0 || t.m % (16 * t.waves) != 0)
        return false;
    const int products = t.m / 16 / t.waves * (t.n / 16);
    return products >= 1 && products <= 16;
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
