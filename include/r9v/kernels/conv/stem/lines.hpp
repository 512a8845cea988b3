// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The epilogue of kernels whose bound is the result's bytes: sums go through LDS, so that
// neighbouring lanes have neighbouring channels. A wave then stores 512 bytes in a row where
// fragments give 32 of each of 16 pixels, and each lane's channels stay the same, so that what
// follows them is loaded once.
#pragma once

#include <r9v/tile/finish.hpp>

#include <utility>

namespace r9v::inline R9V_ABI::kernels {

/// Runs a chain over fragments of 16 pixels of a row and 16 * `Columns` channels.
template<int Columns, class Chain>
class line_finisher {
    static constexpr int chunks = 2 * Columns;              ///< of 8 channels
    static constexpr int pixels = arch::wave_size / chunks; ///< at a time
    static constexpr int times = arch::fragment_size / pixels;
    static constexpr int pixel_bytes = chunks * 32;

public:
    using sums_type = arch::floats8[Columns];
    /// Statistics of a pixel want its channels in two lanes, as fragments have them.
    static constexpr bool is_possible = !Chain::has_state && (chunks == 4 || chunks == 8);
    /// Whether the chain is short enough to be compiled for each run.
    static constexpr bool is_repeated = tile::detail::weight<Chain> <= 8;
    /// Bytes of LDS that each wave needs.
    static constexpr int lds_bytes = arch::fragment_size * pixel_bytes;

    /// All of it exists. `lds` is this wave's alone.
    R9V_INLINE static void finish_whole(const Chain& ops, const tile::wave_place& place,
                                        const sums_type& sums, arch::local_bytes lds) {
        park(sums, lds);
        [&]<int... Is>(std::integer_sequence<int, Is...>) {
            (finish_run(ops, place, lds, Is), ...);
        }(std::make_integer_sequence<int, times>{});
    }
    /// A multiple of 8 channels exists, and any pixels.
    R9V_INLINE static void finish_guarded(const Chain& ops, const tile::wave_place& place,
                                          const sums_type& sums, arch::local_bytes lds) {
        park(sums, lds);
        R9V_ROLLED
        for (int i = 0; i < times; ++i)
            if (place.row + pixel(i) < place.row_end &&
                place.column + 8 * chunk() < place.column_end)
                finish_run(ops, place, lds, i);
    }

private:
    R9V_INLINE static void park(const sums_type& sums, arch::local_bytes lds) {
        const auto from = arch::result_position(static_cast<int>(arch::lane_index()), 0);
        R9V_UNROLL
        for (int c = 0; c < Columns; ++c) {
            const int to = 2 * c + from.column / 8;
            arch::store_local_floats(lds, offset(from.row, to, 0), offset(from.row, to, 1),
                                     sums[c]);
        }
    }
    /// What this lane finishes, in turn `i`.
    [[nodiscard]] R9V_INLINE static int pixel(int i) {
        return i * pixels + static_cast<int>(arch::lane_index()) / chunks;
    }
    [[nodiscard]] R9V_INLINE static int chunk() {
        return static_cast<int>(arch::lane_index()) % chunks;
    }
    R9V_INLINE static void finish_run(const Chain& ops, const tile::wave_place& place,
                                      arch::local_bytes lds, int i) {
        const arch::floats8 sums = arch::load_local_floats(lds, offset(pixel(i), chunk(), 0),
                                                           offset(pixel(i), chunk(), 1));
        pack<> none;
        evaluate(tile::detail::wide_math{}, ops, none,
                 {place.batch, place.row, place.column, pixel(i), 8 * chunk(), place.head},
                 tile::detail::part_of<8>(sums, 0));
    }

    /// Where a half of a chunk of a pixel waits. The xor spreads over all banks what eight lanes
    /// access at once: one chunk of eight pixels, or the chunks of one or two.
    [[nodiscard]] R9V_INLINE static std::uint32_t offset(int pixel, int chunk, int half) {
        const int spread = (pixel & 1) << 2 | (pixel >> 1 & 3);
        return static_cast<std::uint32_t>(pixel * pixel_bytes +
                                          ((half * chunks + chunk) ^ spread) * 16);
    }
};

} // namespace r9v::inline R9V_ABI::kernels
