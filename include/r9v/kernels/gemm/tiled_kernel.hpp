// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Large and medium tiles: slabs through LDS.
#pragma once

#include <r9v/kernels/gemm/block.hpp>
#include <r9v/tile/pipeline.hpp>
#include <r9v/tile/scattered_slab.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<gemm_tile Tile, class Program>
struct tiled {
    using head = typename Program::head_type;
    using element = typename head::element;
    using x_view = typename head::x_view;
    using w_view = typename head::w_view;
    static constexpr int results = head::results;
    static constexpr tile::block_shape shape{Tile.m, Tile.n, Tile.waves_m, Tile.waves_n, results};
    static constexpr int rows = shape.rows_a_wave() / arch::fragment_size;
    static constexpr int columns = shape.columns_a_wave() / arch::fragment_size;
    static constexpr int waves = Tile.waves_m * Tile.waves_n;
    using tile_type = arch::floats8[results][rows][columns];
    using partials = partials_writer<gemm_geometry>;
    using finisher = tile::finisher<results, rows, columns, typename Program::chain_type,
                                    partials_writer<gemm_geometry>>;

    template<class View>
    static constexpr bool transposes = View::element_layout == layout::column_major;
    template<class View>
    static constexpr bool scatters = View::element_layout == layout::strided;

    template<class View, int Rows, bool Scattered>
    using loader = std::conditional_t<(Scattered && transposes<View>) || scatters<View>,
                                      tile::scattered_slab_loader<Rows, Tile.threads()>,
                                      tile::slab_loader<Rows, Tile.threads(), order_of<View>>>;

    /// Prologue operands of large tiles fit 32-bit offsets; medium tiles must not rely on it.
    using prologue_math = tile::device_math<
        std::conditional_t<Tile.regime == gemm_regime::large, std::uint32_t, index_t>>;

    static constexpr int park_bytes = waves * finisher::lds_bytes;
    static constexpr int lds_bytes = park_bytes > shape.lds_bytes() ? park_bytes
                                                                    : shape.lds_bytes();

    /// The product over no k.
    R9V_INLINE static void clear(tile_type& sums) {
        R9V_UNROLL
        for (int i = 0; i < results * rows * columns; ++i)
            sums[i / (rows * columns)][i / columns % rows][i % columns] = arch::floats8{};
    }

    template<bool Scattered>
    R9V_INLINE static void multiply(const Program& program, const gemm_geometry& geometry,
                                    const block_place& place, arch::local_bytes lds, int wave_m,
                                    int wave_n, tile_type& sums) {
        const auto treat = prologue_of<prologue_math>(program, place);
        using pipeline =
            tile::pipeline<element, shape, loader<x_view, Tile.m, Scattered>,
                           loader<w_view, Tile.n, Scattered>, std::remove_cvref_t<decltype(treat)>>;
        const tile::panel x = panel_of(program.head.x.view, place.batch, place.row, place.rows);
        tile::panel w[results];
        w[0] = panel_of(program.head.first_weights(), place.batch, place.column, place.columns);
        if constexpr (results == 2)
            w[1] =
                panel_of(program.head.second_weights(), place.batch, place.column, place.columns);
        pipeline{lds, wave_m, wave_n, treat}.multiply(x, w, geometry.k, sums);
    }
};

template<gemm_tile Tile, class Program>
R9V_INLINE void tiled_block(const Program& program, const gemm_geometry& geometry) {
    using kernel = tiled<Tile, Program>;
    alignas(16) R9V_SHARED static char shared[kernel::lds_bytes];
    const arch::local_bytes lds = arch::to_local(shared);
    const block_place place{geometry};
    const int wave = static_cast<int>(arch::wave_index());
    const int wave_m = wave % Tile.waves_m;
    const int wave_n = wave / Tile.waves_m;

    // Load and multiply.
    typename kernel::tile_type sums;
    constexpr bool may_scatter = Tile.regime == gemm_regime::medium &&
                                 (kernel::template transposes<typename kernel::x_view> ||
                                  kernel::template transposes<typename kernel::w_view>);
    kernel::clear(sums);
    if (geometry.k > 0) {
        if (may_scatter && geometry.transposing_loads == 0) {
            kernel::template multiply<may_scatter>(program, geometry, place, lds, wave_m, wave_n,
                                                   sums);
        } else {
            kernel::template multiply<false>(program, geometry, place, lds, wave_m, wave_n, sums);
        }
    }

    // Finish.
    const index_t row = place.row + wave_m * kernel::shape.rows_a_wave();
    const index_t column = place.column + wave_n * kernel::shape.columns_a_wave();
    typename kernel::finisher finish{
        program.chain,
        {place.batch, row, column, place.row + place.rows, place.column + place.columns},
        {geometry, place.part * Tile.waves_n + wave_n}};
    const bool whole = kernel::finisher::is_repeated && geometry.wide_chain != 0 &&
                       place.rows == Tile.m && place.columns == Tile.n;
    if (!whole) arch::barrier(); // sums go where other waves may still read the last slab
    finish.finish(sums, lds + wave * kernel::finisher::lds_bytes, whole, geometry.wide_chain != 0);
}

} // namespace r9v::inline R9V_ABI::kernels
