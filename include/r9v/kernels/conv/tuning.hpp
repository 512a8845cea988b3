// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The tiles that convolutions are compiled for. Host code only.
#pragma once

#include <r9v/kernels/conv/geometry.hpp>
#include <r9v/kernels/conv/problem.hpp>
#include <r9v/kernels/family.hpp>

namespace r9v::inline R9V_ABI {

/// How a kernel walks the map.
enum class conv_regime {
    patches,   ///< 16-byte loads: contiguous channels, a multiple of 8 of them
    scattered, ///< 2-byte loads: right for everything; also for maps of few channels
};

/// What one block computes: m pixels and n output channels of the result, by waves_m * waves_n
/// waves.
struct conv_tile {
    int m = 64;
    int n = 64;
    int waves_m = 2;
    int waves_n = 2;
    conv_regime regime = conv_regime::patches;

    [[nodiscard]] R9V_HD constexpr int threads() const { return waves_m * waves_n * 32; }
    friend constexpr bool operator==(const conv_tile&, const conv_tile&) = default;
};

namespace detail {

/// 64 x 32 accumulators a wave: what is left of the registers holds where its pixels lie.
inline constexpr conv_tile large_conv_tile{.m = 128, .n = 128, .waves_m = 2, .waves_n = 4};
inline constexpr conv_tile small_conv_tile{};
inline constexpr conv_tile scattered_conv_tile{.regime = conv_regime::scattered};

template<class Head>
constexpr auto default_conv_tiles() {
    if constexpr (Head::x_view::element_layout != layout::row_major) {
        return tile_list<scattered_conv_tile>{};
    } else {
        return tile_list<large_conv_tile, small_conv_tile, scattered_conv_tile>{};
    }
}

/// Whether a kernel can be built with this tile.
constexpr bool is_valid_conv_tile(const conv_tile& t, layout of_map) {
    if (t.waves_m < 1 || t.waves_n < 1) return false;
    const int waves = t.waves_m * t.waves_n;
    const int fragments_m = t.m / t.waves_m / 16;
    const int fragments_n = t.n / t.waves_n / 16;
    const int products = fragments_m * fragments_n;
    return (t.regime == conv_regime::scattered || of_map == layout::row_major) &&
           (waves == 4 || waves == 8) && products >= fragments_m + fragments_n && products <= 16 &&
           t.m == fragments_m * 16 * t.waves_m && t.n == fragments_n * 16 * t.waves_n &&
           t.m % (waves * 8) == 0 && t.n % (waves * 8) == 0 && (t.m + t.n) * 128 <= 65536;
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
