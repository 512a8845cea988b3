// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The pool of any map and window: a lane loads what the window covers of its 8 channels.
#pragma once

#include <r9v/kernels/pool/geometry.hpp>
#include <r9v/kernels/pool/lanes.hpp>

namespace r9v::inline R9V_ABI::kernels {

/// The largest or the mean of `Width` channels under a window.
template<int Width, class Head>
[[nodiscard]] R9V_INLINE run<float, Width> pool_window(const Head& head, const window_place& at,
                                                       std::int32_t channel) {
    using accumulator = window_accumulator<typename Head::kind_type, Width>;
    const pooling& how = head.how;
    accumulator all;
    const auto* row = head.x.view.data + head.offset(at.to.image, at.h, at.w, channel);
    const index_t row_step = how.dilation.height * head.row_stride();
    const index_t column_step = how.dilation.width * head.pixel_stride();
    R9V_ROLLED
    for (std::int32_t r = 0; r < at.rows.count(); ++r) {
        const auto* pixel = row;
        R9V_ROLLED
        for (std::int32_t s = 0; s < at.columns.count(); ++s) {
            const coordinate from{.batch_base = at.to.image,
                                  .row_base = at.w + s * how.dilation.width,
                                  .column_base = channel,
                                  .head_base = at.h + r * how.dilation.height};
            all.add(load_map<Width>(head, pixel, from));
            pixel += column_step;
        }
        row += row_step;
    }
    return all.finish(head, at.rows.count() * at.columns.count());
}

/// A run of 8 channels of a pixel, or what is left of one, through the chain.
template<class Program, class States>
R9V_INLINE void pool_chunk(const Program& program, const window_place& at, std::int32_t chunk,
                           States& states) {
    const auto& head = program.head;
    const std::int32_t channel = chunk * pool_run;
    const std::int32_t left = static_cast<std::int32_t>(head.channels()) - channel;
    if (left >= pool_run) {
        evaluate(map_math{}, program.chain, states, at.to.coordinate_of(channel),
                 pool_window<pool_run>(head, at, channel));
    } else {
        R9V_ROLLED
        for (std::int32_t e = 0; e < left; ++e)
            evaluate(map_math{}, program.chain, states, at.to.coordinate_of(channel + e),
                     pool_window<1>(head, at, channel + e));
    }
}

/// A lane for each run; or a wave for each pixel, where statistics want its channels together.
template<class Program>
R9V_INLINE void pool_direct(const Program& program, const pool_geometry& g, int threads) {
    using chain = typename Program::chain_type;
    typename states_of<map_math, chain>::type states;
    const std::uint32_t index =
        arch::block_x() * static_cast<std::uint32_t>(threads) + arch::thread_index();
    if constexpr (chain::has_state) {
        const std::uint32_t pixel = arch::uniform(index / arch::wave_size);
        if (pixel >= g.pixels) return;
        const window_place at{program.head, g, pixel_place::of(g, pixel)};
        reset_taps<tap_scope::row>(program.chain, states);
        reset_taps<tap_scope::tensor>(program.chain, states);
        R9V_ROLLED
        for (std::uint32_t chunk = arch::lane_index(); chunk < g.chunks.value;
             chunk += arch::wave_size)
            pool_chunk(program, at, static_cast<std::int32_t>(chunk), states);
        tile::commit_over_wave(map_math{}, program.chain, states, at.to.coordinate_of(0));
    } else {
        const std::uint32_t pixel = g.chunks.quotient(index);
        if (pixel >= g.pixels) return;
        pool_chunk(program, window_place{program.head, g, pixel_place::of(g, pixel)},
                   static_cast<std::int32_t>(index - pixel * g.chunks.value), states);
    }
}

} // namespace r9v::inline R9V_ABI::kernels
