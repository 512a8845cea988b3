// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernel of convolutions over volumes: that of flat ones, on a map with a third axis.
#pragma once

#include <r9v/kernels/conv/tiled_kernel.hpp>
#include <r9v/kernels/conv/volume/geometry.hpp>
#include <r9v/kernels/conv/volume/problem.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

template<conv_tile Tile, class Program>
struct convolved_volume : convolved<Tile, Program> {
    using flat = convolved<Tile, Program>;
    using treat = patch_prologue<typename flat::head, volume_map>;
    using loader =
        std::conditional_t<Tile.regime == conv_regime::patches,
                           tile::patch_loader<Tile.m, Tile.threads(), treat, volume_map>,
                           tile::scattered_patch_loader<Tile.m, Tile.threads(), treat, volume_map>>;
    using pipeline =
        tile::pipeline<typename flat::element, flat::shape, loader,
                       tile::slab_loader<Tile.n, Tile.threads(), tile::order::k_contiguous>,
                       tile::untreated>;

    /// What pack_volume_filter() wrote behind the weights.
    R9V_INLINE static bool has_only_finite_elements(const Program& program,
                                                    const conv_geometry& g) {
        const auto* trailer = program.head.f.data + program.head.f.extents.k * g.k;
        return arch::load_constant<2>(arch::to_global(trailer), 0u) == 0;
    }

    /// sums = the block's part.
    R9V_INLINE static void multiply(const Program& program, const conv_volume_geometry& g,
                                    const conv_place& place, arch::local_bytes lds, int wave_m,
                                    int wave_n, typename flat::tile_type& sums) {
        const treat prologue{program.head, g.volume, index_t{place.group} * g.volume.channels};
        const loader map{g.volume, prologue};
        const tile::panel w[1] = {flat::filters(program, g, place)};
        const tile::patch_panel x = flat::patches(program, g, place);
        pipeline{lds, wave_m, wave_n, {}, map}.multiply(x, w, g.k, sums);
        // Behind the products, so that nothing waits for this load, and no sums are copied.
        if (!has_only_finite_elements(program, g)) {
            R9V_UNROLL
            for (int i = 0; i < flat::rows * flat::columns; ++i)
                sums[0][i / flat::columns][i % flat::columns] = arch::floats8{};
            const tap_by_tap<typename flat::element, treat, tile::panel, volume_map> plain{
                g.volume, prologue, x, w[0]};
            plain.multiply(wave_m * flat::rows_a_wave, wave_n * flat::columns_a_wave, sums[0]);
        }
    }
};

} // namespace kernels

/// Computes one tile of the result of a convolution over volumes. `Target` is the architecture that
/// has a body; for any other, the kernel is empty.
template<class Target, conv_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void conv_volume_kernel([[maybe_unused]] Program program,
                        [[maybe_unused]] conv_volume_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>)
        kernels::conv_block<kernels::convolved_volume<Tile, Program>, Tile>(program, geometry);
}

} // namespace r9v::inline R9V_ABI
