// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The kernel of transposed convolutions: each block computes a tile of one phase, as an ordinary
// convolution, and stores it a stride apart.
#pragma once

#include <r9v/kernels/conv/prologue.hpp>
#include <r9v/kernels/conv/tap_by_tap.hpp>
#include <r9v/kernels/conv/transposed/filter_loader.hpp>
#include <r9v/kernels/conv/transposed/geometry.hpp>
#include <r9v/kernels/conv/transposed/problem.hpp>
#include <r9v/kernels/conv/tuning.hpp>
#include <r9v/kernels/merge_taps.hpp>
#include <r9v/tile/finish.hpp>
#include <r9v/tile/patch_loader.hpp>
#include <r9v/tile/pipeline.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

/// The part of a phase that a block computes.
struct phase_place {
    int group;
    index_t pixel;
    index_t channel; ///< within the group
    int pixels;      ///< none where the phase has fewer than the largest one
    int channels;
    int part; ///< which of a pixel's parts, for taps

    template<conv_tile Tile>
    R9V_INLINE static phase_place of(const conv_transpose_geometry& g, const conv_phase& phase,
                                     std::uint32_t block) {
        const tile::tile_position at = g.tiles.at(block);
        phase_place place;
        place.group = static_cast<int>(at.batch);
        place.pixel = static_cast<index_t>(at.row) * Tile.m;
        place.channel = static_cast<index_t>(at.column) * Tile.n;
        place.pixels = count(phase.pixels - place.pixel, Tile.m);
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

/// Sends results and partial row statistics to where a phase's pixels stand in the whole result.
struct phase_results {
    static constexpr bool is_scattered = true;
    const conv_transpose_geometry& geometry;
    const conv_phase& phase;
    int part;

    [[nodiscard]] R9V_INLINE coordinate located(const coordinate& at) const {
        return phase.located(at);
    }
    [[nodiscard]] R9V_INLINE coordinate flattened(const coordinate& at) const {
        return phase.flattened(at);
    }
    R9V_INLINE void operator()(int tap, const coordinate& at, float value) const {
        geometry.partials_of(tap, geometry.row_number(located(at)))[part] = value;
    }
};

template<conv_tile Tile, class Program>
struct convolved_transposed {
    using head = typename Program::head_type;
    using element = typename head::element;
    static constexpr tile::block_shape shape{Tile.m, Tile.n, Tile.waves_m, Tile.waves_n, 1};
    // Numbers, since functions of a static object would read it from memory.
    static constexpr int rows_a_wave = Tile.m / Tile.waves_m;
    static constexpr int columns_a_wave = Tile.n / Tile.waves_n;
    static constexpr int rows = rows_a_wave / arch::fragment_size;
    static constexpr int columns = columns_a_wave / arch::fragment_size;
    using tile_type = arch::floats8[1][rows][columns];
    using finisher = tile::finisher<1, rows, columns, typename Program::chain_type, phase_results>;
    using treat = patch_prologue<head>;
    using loader = std::conditional_t<Tile.regime == conv_regime::patches,
                                      tile::patch_loader<Tile.m, Tile.threads(), treat>,
                                      tile::scattered_patch_loader<Tile.m, Tile.threads(), treat>>;
    using pipeline = tile::pipeline<element, shape, loader,
                                    phase_filter_loader<Tile.n, Tile.threads()>, tile::untreated>;

    static constexpr int park_bytes = Tile.waves_m * Tile.waves_n * finisher::lds_bytes;
    static constexpr int lds_bytes = park_bytes > shape.lds_bytes() ? park_bytes
                                                                    : shape.lds_bytes();

    /// The block's part of the map and of the filter.
    R9V_INLINE static tile::patch_panel patches(const Program& program, const conv_phase& phase,
                                                const phase_place& place) {
        const auto* map = reinterpret_cast<const char*>(program.head.x.view.data);
        return {map + place.group * phase.map.channels * phase.map.channel_bytes,
                static_cast<std::uint32_t>(place.pixel), place.pixels};
    }
    R9V_INLINE static phase_panel filters(const Program& program, const conv_transpose_geometry& g,
                                          const conv_phase& phase, const phase_place& place) {
        const filter_extents& f = program.head.f.extents;
        const index_t channel_bytes = index_t{phase.map.slabs} * tile::slab_row_bytes;
        const index_t tap_bytes = f.k * channel_bytes;
        phase_panel panel;
        panel.base = arch::to_global(program.head.f.data) +
                     (phase.tap_row * f.s + phase.tap_column) * tap_bytes +
                     (place.group * g.n + place.channel) * channel_bytes;
        panel.row_stride = channel_bytes;
        panel.k_stride = index_t{sizeof(element)};
        panel.rows = place.channels;
        panel.column_bytes = phase.step_columns * tap_bytes;
        panel.row_bytes = phase.step_rows * f.s * tap_bytes;
        panel.rows_of_taps = phase.map.filter_rows;
        panel.columns_of_taps = phase.map.filter_columns;
        panel.slabs = phase.map.slabs;
        return panel;
    }

    /// sums = the phase's convolution.
    R9V_INLINE static void multiply(const Program& program, const conv_transpose_geometry& g,
                                    const conv_phase& phase, const phase_place& place,
                                    arch::local_bytes lds, int wave_m, int wave_n,
                                    tile_type& sums) {
        const treat prologue{program.head, phase.map, index_t{place.group} * phase.map.channels};
        const loader map{phase.map, prologue};
        const phase_panel w[1] = {filters(program, g, phase, place)};
        const tile::patch_panel x = patches(program, phase, place);
        const index_t k = index_t{phase.map.filter_rows} * phase.map.filter_columns *
                          phase.map.slabs * tile::slab_depth;
        pipeline{lds, wave_m, wave_n, {}, map}.multiply(x, w, k, sums);
        // Behind the products, so that nothing waits for this load, and no sums are copied.
        if (!has_only_finite_elements(program.head.f)) {
            R9V_UNROLL
            for (int i = 0; i < rows * columns; ++i)
                sums[0][i / columns][i % columns] = arch::floats8{};
            const tap_by_tap<element, treat, phase_panel> plain{phase.map, prologue, x, w[0]};
            plain.multiply(wave_m * rows_a_wave, wave_n * columns_a_wave, sums[0]);
        }
    }

private:
    /// What pack_transposed_filter() wrote behind the weights.
    R9V_INLINE static bool has_only_finite_elements(const typename head::filter_type& f) {
        const auto* trailer = f.data + f.elements() - r9v::detail::filter_trailer;
        return arch::load_constant<2>(arch::to_global(trailer), 0u) == 0;
    }
};

template<conv_tile Tile, class Program>
R9V_INLINE void conv_transpose_block(const Program& program,
                                     const conv_transpose_geometry& geometry) {
    using kernel = convolved_transposed<Tile, Program>;
    alignas(16) R9V_SHARED static char shared[kernel::lds_bytes];
    const arch::local_bytes lds = arch::to_local(shared);
    const std::uint32_t block = arch::block_x();
    const std::uint32_t rest = geometry.phases.quotient(block);
    const conv_phase phase = geometry.phase(block - rest * geometry.phases.value);
    const auto place = phase_place::of<Tile>(geometry, phase, rest);
    if (place.pixels <= 0) return;
    const int wave = static_cast<int>(arch::wave_index());
    const int wave_m = wave % Tile.waves_m;
    const int wave_n = wave / Tile.waves_m;

    // Load and multiply. Zeros are hidden: the compiler would make them again on every path.
    typename kernel::tile_type sums;
    R9V_UNROLL
    for (int i = 0; i < kernel::rows * kernel::columns; ++i) {
        sums[0][i / kernel::columns][i % kernel::columns] = arch::floats8{};
        arch::hide(sums[0][i / kernel::columns][i % kernel::columns]);
    }
    if (phase.has_taps() && phase.map.slabs > 0)
        kernel::multiply(program, geometry, phase, place, lds, wave_m, wave_n, sums);

    // Finish.
    const index_t first = place.group * geometry.n + place.channel;
    typename kernel::finisher finish{chain_of(program),
                                     {0, place.pixel + wave_m * kernel::rows_a_wave,
                                      first + wave_n * kernel::columns_a_wave,
                                      place.pixel + place.pixels, first + place.channels},
                                     {geometry, phase, place.part * Tile.waves_n + wave_n}};
    const bool whole = kernel::finisher::is_repeated && geometry.wide_chain != 0 &&
                       place.pixels == Tile.m && place.channels == Tile.n;
    if (!whole) arch::barrier(); // sums go where other waves may still read the last slab
    finish.finish(sums, lds + wave * kernel::finisher::lds_bytes, whole, geometry.whole_runs != 0);
}

} // namespace kernels

/// Computes one tile of one phase of a transposed convolution's result. `Target` is the
/// architecture that has a body; for any other, the kernel is empty.
template<class Target, conv_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void conv_transpose_kernel([[maybe_unused]] Program program,
                           [[maybe_unused]] conv_transpose_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>)
        kernels::conv_transpose_block<Tile, Program>(program, geometry);
}

} // namespace r9v::inline R9V_ABI
