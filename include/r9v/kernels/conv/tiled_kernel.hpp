// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Tiles whose slabs go through LDS: load, multiply, finish, as a GEMM whose left operand is never
// made.
#pragma once

#include <r9v/kernels/conv/prologue.hpp>
#include <r9v/kernels/conv/tap_by_tap.hpp>
#include <r9v/kernels/conv/tuning.hpp>
#include <r9v/kernels/merge_taps.hpp>
#include <r9v/tile/finish.hpp>
#include <r9v/tile/patch_loader.hpp>
#include <r9v/tile/pipeline.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

/// The part of the result that a block computes.
struct conv_place {
    int group;
    index_t pixel;
    index_t channel; ///< within the group
    int pixels;
    int channels;
    int part; ///< which of a pixel's parts, for taps

    template<conv_tile Tile>
    R9V_INLINE static conv_place of(const conv_geometry& g) {
        const tile::tile_position at = g.tiles.at(arch::block_x());
        conv_place place;
        place.group = static_cast<int>(at.batch);
        place.pixel = index_t{at.row} * Tile.m;
        place.channel = index_t{at.column} * Tile.n;
        place.pixels = count(g.m - place.pixel, Tile.m);
        place.channels = count(g.n - place.channel, Tile.n);
        place.part = static_cast<int>(
            at.batch * static_cast<std::uint32_t>(ceil_div<index_t>(g.n, Tile.n)) + at.column);
        return place;
    }

private:
    R9V_INLINE static int count(index_t left, int step) {
        return left < step ? static_cast<int>(left) : step;
    }
};

template<conv_tile Tile, class Program>
struct convolved {
    using head = typename Program::head_type;
    using element = typename head::element;
    static constexpr tile::block_shape shape{Tile.m, Tile.n, Tile.waves_m, Tile.waves_n, 1};
    // Numbers, since functions of a static object would read it from memory.
    static constexpr int rows_a_wave = Tile.m / Tile.waves_m;
    static constexpr int columns_a_wave = Tile.n / Tile.waves_n;
    static constexpr int waves = Tile.waves_m * Tile.waves_n;
    static constexpr int rows = rows_a_wave / arch::fragment_size;
    static constexpr int columns = columns_a_wave / arch::fragment_size;
    using tile_type = arch::floats8[1][rows][columns];
    struct partials : partials_writer<conv_geometry> {
        [[nodiscard]] R9V_INLINE coordinate located(const coordinate& at) const {
            return this->geometry.located(at);
        }
    };
    using finisher = tile::finisher<1, rows, columns, typename Program::chain_type, partials>;
    using treat = patch_prologue<head>;
    using loader = std::conditional_t<Tile.regime == conv_regime::patches,
                                      tile::patch_loader<Tile.m, Tile.threads(), treat>,
                                      tile::scattered_patch_loader<Tile.m, Tile.threads(), treat>>;
    using pipeline =
        tile::pipeline<element, shape, loader,
                       tile::slab_loader<Tile.n, Tile.threads(), tile::order::k_contiguous>,
                       tile::untreated>;

    static constexpr int park_bytes = waves * finisher::lds_bytes;
    static constexpr int lds_bytes = park_bytes > shape.lds_bytes() ? park_bytes
                                                                    : shape.lds_bytes();

    /// The block's part of the map and of the filter.
    R9V_INLINE static tile::patch_panel patches(const Program& program, const conv_geometry& g,
                                                const conv_place& place) {
        const auto* map = reinterpret_cast<const char*>(program.head.x.view.data);
        return {map + place.group * g.map.channels * g.map.channel_bytes,
                static_cast<std::uint32_t>(place.pixel), place.pixels};
    }
    R9V_INLINE static tile::panel filters(const Program& program, const conv_geometry& g,
                                          const conv_place& place) {
        const index_t row_bytes = g.k * index_t{sizeof(element)};
        return {arch::to_global(program.head.f.data) +
                    (place.group * g.n + place.channel) * row_bytes,
                row_bytes, index_t{sizeof(element)}, place.channels};
    }

    /// sums = the block's part.
    R9V_INLINE static void multiply(const Program& program, const conv_geometry& g,
                                    const conv_place& place, arch::local_bytes lds, int wave_m,
                                    int wave_n, tile_type& sums) {
        const treat prologue{program.head, g.map, index_t{place.group} * g.map.channels};
        const loader map{g.map, prologue};
        const tile::panel w[1] = {filters(program, g, place)};
        const tile::patch_panel x = patches(program, g, place);
        pipeline{lds, wave_m, wave_n, {}, map}.multiply(x, w, g.k, sums);
        // Behind the products, so that nothing waits for this load, and no sums are copied.
        if (!has_only_finite_weights(program.head.f)) {
            R9V_UNROLL
            for (int i = 0; i < rows * columns; ++i)
                sums[0][i / columns][i % columns] = arch::floats8{};
            const tap_by_tap<element, treat> plain{g.map, prologue, x, w[0]};
            plain.multiply(wave_m * rows_a_wave, wave_n * columns_a_wave, sums[0]);
        }
    }
};

/// One tile of the result, of whose products `Kernel` knows: a convolved.
template<class Kernel, conv_tile Tile, class Program, class Geometry>
R9V_INLINE void conv_block(const Program& program, const Geometry& geometry) {
    alignas(16) R9V_SHARED static char shared[Kernel::lds_bytes];
    const arch::local_bytes lds = arch::to_local(shared);
    const auto place = conv_place::of<Tile>(geometry);
    const int wave = static_cast<int>(arch::wave_index());
    const int wave_m = wave % Tile.waves_m;
    const int wave_n = wave / Tile.waves_m;

    // Load and multiply. Zeros are hidden: the compiler would make them again on every path.
    typename Kernel::tile_type sums;
    R9V_UNROLL
    for (int i = 0; i < Kernel::rows * Kernel::columns; ++i) {
        sums[0][i / Kernel::columns][i % Kernel::columns] = arch::floats8{};
        arch::hide(sums[0][i / Kernel::columns][i % Kernel::columns]);
    }
    if (geometry.k > 0) Kernel::multiply(program, geometry, place, lds, wave_m, wave_n, sums);

    // Finish.
    const index_t first = place.group * geometry.n + place.channel;
    typename Kernel::finisher finish{chain_of(program),
                                     {0, place.pixel + wave_m * Kernel::rows_a_wave,
                                      first + wave_n * Kernel::columns_a_wave,
                                      place.pixel + place.pixels, first + place.channels},
                                     {{geometry, place.part * Tile.waves_n + wave_n}}};
    const bool whole = Kernel::finisher::is_repeated && geometry.wide_chain != 0 &&
                       place.pixels == Tile.m && place.channels == Tile.n;
    if (!whole) arch::barrier(); // sums go where other waves may still read the last slab
    finish.finish(sums, lds + wave * Kernel::finisher::lds_bytes, whole, geometry.wide_chain != 0);
}

} // namespace kernels

} // namespace r9v::inline R9V_ABI
