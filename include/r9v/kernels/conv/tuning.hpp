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
    patches,   ///< slabs through LDS in 16-byte loads: contiguous channels, a multiple of 8 of them
    streamed,  ///< such loads, to registers: few pixels or few channels in a group
    scattered, ///< 2-byte loads: right for everything; also for maps of few channels
};

/// What one block computes: m pixels and n output channels of the result, by waves_m * waves_n
/// waves. Streamed, one wave computes m x n, and the waves_k waves of a block share k, pixels or
/// channels among them, whichever the shape has most of.
struct conv_tile {
    int m = 64;
    int n = 64;
    int waves_m = 2;
    int waves_n = 2;
    int waves_k = 1;
    conv_regime regime = conv_regime::patches;

    [[nodiscard]] R9V_HD constexpr int threads() const { return waves_m * waves_n * waves_k * 32; }
    friend constexpr bool operator==(const conv_tile&, const conv_tile&) = default;
};

namespace detail {

/// 64 x 32 accumulators a wave: what is left of the registers holds where its pixels lie.
inline constexpr conv_tile large_conv_tile{.m = 128, .n = 128, .waves_m = 2, .waves_n = 4};
inline constexpr conv_tile small_conv_tile{};
inline constexpr conv_tile streamed_conv_tile{
    .m = 32, .n = 32, .waves_m = 1, .waves_n = 1, .waves_k = 8, .regime = conv_regime::streamed};
inline constexpr conv_tile scattered_conv_tile{.regime = conv_regime::scattered};

template<class Head>
constexpr auto default_conv_tiles() {
    if constexpr (Head::x_view::element_layout != layout::row_major) {
        return tile_list<scattered_conv_tile>{};
    } else {
        return tile_list<large_conv_tile, small_conv_tile, streamed_conv_tile,
                         scattered_conv_tile>{};
    }
}

/// Whether a kernel can be built with this tile.
constexpr bool is_valid_conv_tile(const conv_tile& t, layout of_map) {
    if (t.waves_m < 1 || t.waves_n < 1) return false;
    const int waves = t.waves_m * t.waves_n;
    const int fragments_m = t.m / t.waves_m / 16;
    const int fragments_n = t.n / t.waves_n / 16;
    const int products = fragments_m * fragments_n;
    if (t.m != fragments_m * 16 * t.waves_m || t.n != fragments_n * 16 * t.waves_n) return false;
    if (t.regime != conv_regime::scattered && of_map != layout::row_major) return false;
    if (t.regime == conv_regime::streamed)
        return waves == 1 && products >= 1 && products <= 8 && fragments_m + fragments_n <= 6 &&
               (t.waves_k == 1 || t.waves_k == 2 || t.waves_k == 4 || t.waves_k == 8) &&
               (fragments_n == 1 || fragments_n == 2 || fragments_n == 4) &&
               fragments_n <= t.waves_k && t.waves_k * products * 1024 <= 65536;
    return (waves == 4 || waves == 8) && t.waves_k == 1 && products >= fragments_m + fragments_n &&
           products <= 16 && t.m % (waves * 8) == 0 && t.n % (waves * 8) == 0 &&
           (t.m + t.n) * 128 <= 65536;
}

} // namespace detail

} // namespace r9v::inline R9V_ABI
