// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernel of stem filters: the band of the map under a tile goes to LDS once, and everything
// else needs no barrier. Load, multiply, finish.
#pragma once

#include <r9v/kernels/conv/stem/lines.hpp>
#include <r9v/kernels/conv/stem/product.hpp>
#include <r9v/kernels/conv/stem/skipping.hpp>
#include <r9v/kernels/merge_taps.hpp>
#include <r9v/tile/finish.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

template<stem_tile Tile, class Head>
struct stem_sums {
    static constexpr int fragments = Tile.m / Tile.waves / arch::fragment_size;
    static constexpr int columns = Tile.n / arch::fragment_size;
    using type = arch::floats8[fragments][columns];

    /// The sums of this lane's pixels; `lds` holds the band.
    R9V_INLINE static void compute(const Head& head, const stem_geometry& g,
                                   const stem_place& place, arch::local_bytes lds, type& sums) {
        R9V_UNROLL
        for (int i = 0; i < fragments * columns; ++i)
            sums[i / columns][i % columns] = arch::floats8{};
        if (g.steps == 0) return;
        const stem_pixels<fragments> pixels{g.tiles};
        if (g.band.fits != 0 && has_only_finite_stem_weights(head.f)) {
            band_stager<Tile.threads(), Head>{head, g.map, g.band, place.band(g.map), lds}.stage();
            stem_product<typename Head::element, fragments, columns> product{head.f, g, place,
                                                                             pixels, lds};
            arch::barrier();
            product.multiply(sums);
        } else {
            stem_tap_by_tap<Head>{head, g, place}.multiply(pixels, sums);
        }
    }
};

template<stem_tile Tile, class Program>
class stem_block {
    using head = typename Program::head_type;
    using chain_type = typename Program::chain_type;
    using products = stem_sums<Tile, head>;
    static constexpr int fragments = products::fragments;
    static constexpr int columns = products::columns;
    using finisher = tile::finisher<1, 1, columns, chain_type, partials_writer<stem_geometry>>;
    using lines = line_finisher<columns, chain_type>;
    static constexpr int wave_bytes = finisher::lds_bytes;
    static_assert(lines::lds_bytes <= wave_bytes);
    static constexpr int park_bytes = Tile.waves * wave_bytes;

public:
    static constexpr int lds_bytes =
        park_bytes > r9v::detail::stem_band_bytes ? park_bytes : r9v::detail::stem_band_bytes;

    R9V_INLINE stem_block(const Program& program, const stem_geometry& geometry,
                          arch::local_bytes lds)
        : program_{program},
          g_{geometry},
          place_{stem_place::of<Tile>(geometry)},
          lds_{lds} {}

    R9V_INLINE void compute() const {
        typename products::type sums;
        products::compute(program_.head, g_, place_, lds_, sums);
        arch::barrier(); // sums go where other waves may still read the band
        if constexpr (lines::is_possible && lines::is_repeated) {
            if (has_lines() && is_whole()) {
                [&]<int... Is>(std::integer_sequence<int, Is...>) {
                    (lines::finish_whole(program_.chain, place_of(Is), sums[Is], lds_of_wave()),
                     ...);
                }(std::make_integer_sequence<int, fragments>{});
                return;
            }
        }
        finish_one_by_one(sums);
    }

private:
    using sums_of_fragment = arch::floats8[columns];

    [[nodiscard]] R9V_INLINE bool is_whole() const {
        return g_.tiles.height * g_.tiles.width == Tile.m &&
               place_.row + g_.tiles.height <= g_.height &&
               place_.column + g_.tiles.width <= g_.width && place_.channels == Tile.n;
    }

    [[nodiscard]] R9V_INLINE bool has_lines() const {
        return g_.wide_chain != 0 && place_.channels % 8 == 0;
    }

    /// One body for all fragments. Registers have no index that is not a constant.
    R9V_INLINE void finish_one_by_one(const typename products::type& sums) const {
        R9V_ROLLED
        for (int i = 0; i < fragments; ++i) {
            sums_of_fragment chosen;
            R9V_UNROLL
            for (int c = 0; c < columns; ++c) {
                chosen[c] = sums[0][c];
                R9V_UNROLL
                for (int other = 1; other < fragments; ++other)
                    if (i == other) chosen[c] = sums[other][c];
            }
            if constexpr (lines::is_possible) {
                if (has_lines()) {
                    lines::finish_guarded(program_.chain, place_of(i), chosen, lds_of_wave());
                    continue;
                }
            }
            finish_guarded(chosen, i);
        }
    }

    /// A fragment is a part of one row of the result.
    [[nodiscard]] R9V_INLINE tile::wave_place place_of(int i) const {
        const int first = stem_pixels<fragments>::first(i);
        const auto y = static_cast<std::int32_t>(
            g_.tiles.of_width.quotient(static_cast<std::uint32_t>(first)));
        const std::int32_t row = place_.row + y;
        const std::int32_t column = place_.column + first - y * g_.tiles.width;
        const bool exists = y < g_.tiles.height && row < g_.height;
        return {place_.image,
                column,
                place_.channel,
                exists ? g_.width : 0,
                index_t{place_.channel} + place_.channels,
                row};
    }
    [[nodiscard]] R9V_INLINE arch::local_bytes lds_of_wave() const {
        return lds_ + static_cast<int>(arch::wave_index()) * wave_bytes;
    }

    R9V_INLINE void finish_guarded(const sums_of_fragment& sums, int i) const {
        arch::floats8 tile[1][1][columns];
        R9V_UNROLL
        for (int c = 0; c < columns; ++c)
            tile[0][0][c] = sums[c];
        finisher{program_.chain, place_of(i), {g_, place_.part}}.finish(tile, lds_of_wave(), false,
                                                                        g_.wide_chain != 0);
    }

    const Program& program_;
    const stem_geometry& g_;
    stem_place place_;
    arch::local_bytes lds_;
};

} // namespace kernels

/// Computes one tile of a stem convolution's result. `Target` is the architecture that has a body;
/// for any other, the kernel is empty.
template<class Target, stem_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void stem_kernel([[maybe_unused]] Program program, [[maybe_unused]] stem_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        using block = kernels::stem_block<Tile, Program>;
        alignas(16) R9V_SHARED static char shared[block::lds_bytes];
        block{program, geometry, arch::to_local(shared)}.compute();
    }
}

} // namespace r9v::inline R9V_ABI
