// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The depthwise kernels: load, multiply, finish.
#pragma once

#include <r9v/kernels/conv/depthwise/finish.hpp>
#include <r9v/kernels/conv/depthwise/stage.hpp>
#include <r9v/kernels/conv/depthwise/tuning.hpp>
#include <r9v/kernels/merge_taps.hpp>

namespace r9v::inline R9V_ABI {

namespace kernels {

/// The sums of a lane's pixels, by the code for its filter.
template<class Element, int Run>
R9V_INLINE void multiply_depthwise(depthwise_sums<Run>& sums, arch::local_bytes lds,
                                   const depthwise_source& at, const depthwise_geometry& g,
                                   const depthwise_place& place, const depthwise_item& item,
                                   bool special) {
    const std::int32_t h = (place.row + item.row) * g.stride_height - g.pad_top;
    const auto window = [&]<int Columns>(std::integral_constant<int, Columns>) R9V_INLINE_LAMBDA {
        if (g.window_stride == 1) {
            add_windows<Element, Columns, 1, Run>(sums, lds, at, g, h);
        } else {
            add_windows<Element, Columns, 2, Run>(sums, lds, at, g, h);
        }
    };
    if (special || g.window_columns == 0) {
        add_taps<Element, Run>(sums, lds, at, g, place.row + item.row, place.column + item.column);
    } else if (g.window_columns == 3) {
        window(std::integral_constant<int, 3>{});
    } else if (g.window_columns == 5) {
        window(std::integral_constant<int, 5>{});
    } else {
        window(std::integral_constant<int, 7>{});
    }
}

template<depthwise_tile Tile, class Program>
R9V_INLINE void depthwise_block(const Program& program, const depthwise_geometry& g) {
    using head = typename Program::head_type;
    using element = typename head::element;
    alignas(16) R9V_SHARED static char shared[Tile.lds_bytes];
    const arch::local_bytes lds = arch::to_local(shared);
    const auto place = depthwise_place::of_block(g, Tile.run);
    const depthwise_stage<head, Tile.threads()> stage{program.head, g, place, lds};
    stage.load();
    const bool special = stage.has_special_weights();

    depthwise_finisher<Program, Tile.run> finish{program, g, place};
    const auto chunks = static_cast<std::int32_t>(g.tile_chunks.value);
    const auto runs = static_cast<std::int32_t>(g.tile_runs.value);
    const std::int32_t items = g.tile_rows * runs * chunks;
    R9V_ROLLED
    for (auto i = static_cast<std::int32_t>(arch::thread_index()); i < items; i += Tile.threads()) {
        const auto pixel =
            static_cast<std::int32_t>(g.tile_chunks.quotient(static_cast<std::uint32_t>(i)));
        const auto row =
            static_cast<std::int32_t>(g.tile_runs.quotient(static_cast<std::uint32_t>(pixel)));
        const depthwise_item item{row, (pixel - row * runs) * Tile.run, i - pixel * chunks};
        if (place.row + item.row >= g.rows || place.column + item.column >= g.columns ||
            place.chunk + item.chunk >= static_cast<std::int32_t>(g.of_outputs.value))
            continue;
        const depthwise_source at{
            stage.pixels() +
                16 * static_cast<std::uint32_t>(item.row * g.stride_height * g.pitch +
                                                item.column * g.stride_width * chunks + item.chunk),
            stage.weights() + 16 * static_cast<std::uint32_t>(item.chunk),
            16 * static_cast<std::uint32_t>(chunks),
            16 * static_cast<std::uint32_t>(g.dilation_height * g.pitch)};
        depthwise_sums<Tile.run> sums;
        R9V_UNROLL
        for (auto& sum : sums)
            sum = broadcast<8>(0.0f);
        multiply_depthwise<element, Tile.run>(sums, lds, at, g, place, item, special);
        finish.finish(sums, item);
    }
    finish.commit();
}

/// A lane a pixel and a chunk.
template<depthwise_tile Tile, class Program>
R9V_INLINE void direct_depthwise_block(const Program& program, const depthwise_geometry& g) {
    const std::uint32_t number = arch::block_x() * Tile.threads() + arch::thread_index();
    const std::uint32_t pixel = g.of_outputs.quotient(number);
    const auto chunk = static_cast<std::int32_t>(number - pixel * g.of_outputs.value);
    const bool exists = pixel < static_cast<std::uint32_t>(g.pixels);
    const coordinate at = g.row_at(exists ? pixel : 0);
    const depthwise_place place{static_cast<std::int32_t>(at.batch()), chunk,
                                static_cast<std::int32_t>(at.head()),
                                static_cast<std::int32_t>(at.row())};
    depthwise_finisher<Program, 1> finish{program, g, place};
    if (exists) {
        depthwise_sums<1> sums;
        sums[0] = broadcast<8>(0.0f);
        add_taps_directly(sums[0], program.head, g, at, chunk);
        finish.finish(sums, {0, 0, 0});
    }
    finish.commit();
}

} // namespace kernels

/// Computes a part of a depthwise convolution. `Target` is the architecture that has a body; for
/// any other, the kernel is empty.
template<class Target, depthwise_tile Tile, class Program>
R9V_KERNEL(Tile.threads())
void depthwise_kernel([[maybe_unused]] Program program,
                      [[maybe_unused]] depthwise_geometry geometry) {
    if constexpr (std::is_same_v<Target, arch::compiled_target>) {
        if constexpr (Tile.regime == depthwise_regime::staged) {
            kernels::depthwise_block<Tile, Program>(program, geometry);
        } else {
            kernels::direct_depthwise_block<Tile, Program>(program, geometry);
        }
    }
}

} // namespace r9v::inline R9V_ABI
