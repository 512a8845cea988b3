// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernel of stem filters with a pool behind them. A block computes the pixels under the windows
// of a rectangle of the pooled result, those at its border as its neighbours do, keeps them in LDS
// in the map's type, and pools from there. Load, multiply, pool, finish.
#pragma once

#include <r9v/kernels/conv/stem/beside_pool.hpp>
#include <r9v/kernels/conv/stem/kernel.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

/// The pixels of a tile in LDS, 8 channels a chunk. The xor spreads what eight lanes access at once
/// over all banks: one chunk of eight pixels, or eight chunks of one.
template<int Channels>
struct pixel_store {
    static constexpr int chunks = Channels / 8;
    static constexpr int pixel_bytes = 2 * Channels;
    static_assert(chunks % 8 == 0);

    [[nodiscard]] R9V_INLINE static std::uint32_t place(int pixel, int chunk) {
        return static_cast<std::uint32_t>(pixel * pixel_bytes + (chunk ^ (pixel & 7)) * 16);
    }
};

template<stem_tile Tile, class Program>
class pooled_stem_block {
    using head = typename Program::head_type;
    using chain_type = typename Program::chain_type;
    using element = typename head::element;
    using products = stem_sums<Tile, head>;
    using store = pixel_store<Tile.n>;
    static constexpr int fragments = products::fragments;
    static constexpr int columns = products::columns;
    static constexpr bool is_repeated = tile::detail::weight<chain_type> <= 8;
    /// Two elements of -inf: pixels outside of the result never win.
    static constexpr std::uint32_t lowest =
        std::is_same_v<element, half> ? 0xfc00'fc00u : 0xff80'ff80u;

public:
    static constexpr int lds_bytes = Tile.m * store::pixel_bytes;

    R9V_INLINE pooled_stem_block(const Program& program, const stem_geometry& geometry,
                                 arch::local_bytes lds)
        : program_{program},
          g_{geometry},
          place_{stem_place::of<Tile>(geometry)},
          lds_{lds} {}

    R9V_INLINE void compute() const {
        typename products::type sums;
        products::compute(program_.head, g_, place_, lds_, sums);
        arch::barrier(); // pixels go where other waves may still read the band
        const stem_pixels<fragments> pixels{g_.tiles};
        if (is_repeated && g_.wide_chain != 0 && place_.channels == Tile.n) {
            [&]<int... Is>(std::integer_sequence<int, Is...>) {
                (keep_run(pixels.at[Is % fragments], Is % fragments, Is / fragments,
                          sums[Is % fragments][Is / fragments]),
                 ...);
            }(std::make_integer_sequence<int, fragments * columns>{});
        } else {
            keep_rolled(pixels, sums);
        }
        arch::barrier();
        pool();
    }

private:
    /// One body for all fragments. Registers have no index that is not a constant.
    R9V_INLINE void keep_rolled(const stem_pixels<fragments>& pixels,
                                const typename products::type& sums) const {
        R9V_ROLLED
        for (int fragment = 0; fragment < fragments * columns; ++fragment) {
            const int i = fragment / columns;
            const int c = fragment % columns;
            stem_pixel at = pixels.at[0];
            arch::floats8 chosen = sums[0][0];
            R9V_UNROLL
            for (int other = 1; other < fragments * columns; ++other) {
                if (fragment != other) continue;
                at = pixels.at[other / columns];
                chosen = sums[other / columns][other % columns];
            }
            if (g_.wide_chain != 0 && left(c) >= 8) {
                keep_run(at, i, c, chosen);
            } else {
                keep_singly(at, i, c, chosen);
            }
        }
    }

    /// Where the lane's 8 sums of a fragment stand in the convolution's result; outside of it,
    /// where nothing may be read, the nearest place inside.
    [[nodiscard]] R9V_INLINE coordinate position(const stem_pixel& at, int c) const {
        return {.batch_base = place_.image,
                .row_base = 0,
                .column_base = place_.channel + c * arch::fragment_size,
                .row_offset = inside(place_.column + at.x, g_.width),
                .column_offset = lane().column,
                .head_base = inside(place_.row + at.y, g_.height)};
    }
    [[nodiscard]] R9V_INLINE static std::int32_t inside(std::int32_t at, std::int32_t end) {
        return tile::detail::min(at < 0 ? 0 : at, end - 1);
    }
    /// Channels of the result that exist from the lane's first on.
    [[nodiscard]] R9V_INLINE int left(int c) const {
        return place_.channels - c * arch::fragment_size - lane().column;
    }
    [[nodiscard]] R9V_INLINE bool exists(const stem_pixel& at) const {
        return stem_map::is_below(place_.row + at.y, g_.height) &&
               stem_map::is_below(place_.column + at.x, g_.width);
    }
    [[nodiscard]] R9V_INLINE static arch::fragment_position lane() {
        return arch::result_position(static_cast<int>(arch::lane_index()), 0);
    }
    /// The lane's pixel of a fragment. There is room for those behind the tile's last.
    [[nodiscard]] R9V_INLINE static int number(int i) {
        return stem_pixels<fragments>::first(i) + lane().row;
    }
    [[nodiscard]] R9V_INLINE static int chunk(int c) { return 2 * c + lane().column / 8; }

    R9V_INLINE void keep_run(const stem_pixel& at, int i, int c, const arch::floats8& sums) const {
        run<float, 8> values = tile::detail::part_of<8>(sums, 0);
        r9v::detail::run_beside_pool<false>(tile::detail::wide_math{}, program_.chain, values,
                                            position(at, c));
        const bool counts = exists(at);
        arch::words4 words;
        R9V_UNROLL
        for (int word = 0; word < 4; ++word) {
            const std::uint32_t both = arch::word_from_floats<element>(values.begin() + 2 * word);
            words[word] = counts ? both : lowest;
        }
        arch::store_local(lds_, store::place(number(i), chunk(c)), words);
    }

    R9V_INLINE void keep_singly(const stem_pixel& at, int i, int c,
                                const arch::floats8& sums) const {
        R9V_ROLLED
        for (int e = 0; e < 8; ++e) {
            auto bits = static_cast<std::uint16_t>(lowest);
            if (e < left(c) && exists(at)) {
                run<float, 1> value{{sums[0]}};
                R9V_UNROLL
                for (int other = 1; other < 8; ++other)
                    value[0] = e == other ? sums[other] : value[0];
                coordinate of = position(at, c);
                of.column_offset += e;
                r9v::detail::run_beside_pool<false>(tile::detail::narrow_math{}, program_.chain,
                                                    value, of);
                bits = static_cast<std::uint16_t>(arch::element_from_float<element>(value[0]));
            }
            arch::store_local_short(
                lds_, store::place(number(i), chunk(c)) + static_cast<std::uint32_t>(2 * e), bits);
        }
    }

    /// A thread takes 8 channels of a pooled pixel.
    R9V_INLINE void pool() const {
        const int count = g_.pooled_tile_height * g_.pooled_tile_width * store::chunks;
        R9V_ROLLED
        for (int item = static_cast<int>(arch::thread_index()); item < count;
             item += Tile.threads()) {
            const int chunk = item % store::chunks;
            const auto pixel = static_cast<std::uint32_t>(item / store::chunks);
            const std::uint32_t y = g_.of_pooled_width.quotient(pixel);
            const std::uint32_t x = pixel - y * g_.of_pooled_width.value;
            const auto row = static_cast<std::int32_t>(y);
            const auto column = static_cast<std::int32_t>(x);
            const coordinate at{.batch_base = place_.image,
                                .row_base = 0,
                                .column_base = place_.channel,
                                .row_offset = place_.tile_column * g_.pooled_tile_width + column,
                                .column_offset = chunk * 8,
                                .head_base = place_.tile_row * g_.pooled_tile_height + row};
            const int channels = place_.channels - chunk * 8;
            if (at.head_base >= g_.pooled_height || at.row_offset >= g_.pooled_width ||
                channels <= 0)
                continue;
            finish(largest(row * g_.pool.stride.height, column * g_.pool.stride.width, chunk), at,
                   channels);
        }
    }

    /// The largest values under the window whose first pixel is (y, x) of the tile.
    [[nodiscard]] R9V_INLINE arch::words4 largest(int y, int x, int chunk) const {
        arch::words4 result{lowest, lowest, lowest, lowest};
        R9V_ROLLED
        for (int r = 0; r < g_.pool.window.height; ++r) {
            int pixel = (y + r * g_.pool.dilation.height) * g_.tiles.width + x;
            R9V_ROLLED
            for (int s = 0; s < g_.pool.window.width; ++s, pixel += g_.pool.dilation.width)
                result = arch::maximum_of_each<element>(
                    result, arch::load_local(lds_, store::place(pixel, chunk)));
        }
        return result;
    }

    R9V_INLINE void finish(const arch::words4& words, coordinate at, int channels) const {
        run<float, 8> values;
        R9V_UNROLL
        for (int i = 0; i < 8; ++i)
            values[i] = arch::element_to_float<element>(words[i / 2], i % 2);
        if (g_.wide_pooled_chain != 0 && channels >= 8) {
            r9v::detail::run_beside_pool<true>(tile::detail::wide_math{}, program_.chain, values,
                                               at);
            return;
        }
        R9V_ROLLED
        for (int e = 0; e < 8 && e < channels; ++e, ++at.column_offset) {
            run<float, 1> value{{values[0]}};
            R9V_UNROLL
            for (int other = 1; other < 8; ++other)
                value[0] = e == other ? values[other] : value[0];
            r9v::detail::run_beside_pool<true>(tile::detail::narrow_math{}, program_.chain, value,
                                               at);
        }
    }

    const Program& program_;
    const stem_geometry& g_;
    stem_place place_;
    arch::local_bytes lds_;
};

} // namespace kernels

/// Computes one tile of a pooled stem convolution's result.
template<class Target, stem_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void pooled_stem_kernel([[maybe_unused]] Program program, [[maybe_unused]] stem_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        using block = kernels::pooled_stem_block<Tile, Program>;
        alignas(16) R9V_SHARED static char shared[block::lds_bytes];
        block{program, geometry, arch::to_local(shared)}.compute();
    }
}

} // namespace r9v::inline R9V_ABI
