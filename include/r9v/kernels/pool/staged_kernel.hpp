// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The pool whose windows overlap: a block loads what its tile of the result sees once, into LDS.
#pragma once

#include <r9v/kernels/pool/chunk.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<class Program, int Threads>
class staged_pool {
    using head_type = typename Program::head_type;
    using chain_type = typename Program::chain_type;
    using element = typename head_type::element;
    using kind = typename head_type::kind_type;
    using slots_type = chunk_slots<element, staged_bytes / map_chunk<element>::bytes>;
    /// Taps whose loads are under way together. One too many under a maximum changes nothing.
    static constexpr int together = std::is_same_v<kind, window_maximum> ? 3 : 1;

public:
    static constexpr int lds_bytes = slots_type::bytes;

    R9V_INLINE static void run_block(const Program& program, const pool_geometry& g,
                                     arch::local_bytes lds) {
        const head_type& head = program.head;
        const slots_type region{lds};
        pool_block place = pool_block::of(g.staged);
        place.h = place.row * head.how.stride.height - head.how.pad.top;
        place.w = place.column * head.how.stride.width - head.how.pad.left;
        load_region<Threads>(head, g.staged, place, region);
        arch::barrier();

        typename states_of<map_math, chain_type>::type states; // of no taps: they go direct
        for_each_slot<Threads>(
            g.staged.tile_height, g.staged.tile_width, g.staged.chunks,
            [&](std::uint32_t, std::int32_t row, std::int32_t column, std::int32_t chunk)
                R9V_INLINE_LAMBDA {
                    const pixel_place pixel{place.image, place.row + row, place.column + column};
                    const std::int32_t channel = (place.chunk + chunk) * pool_run;
                    if (pixel.row >= static_cast<std::int32_t>(g.of_image.value) ||
                        pixel.column >= static_cast<std::int32_t>(g.of_row.value) ||
                        channel >= static_cast<std::int32_t>(head.channels()))
                        return;
                    evaluate(map_math{}, program.chain, states, pixel.coordinate_of(channel),
                             gather(head, g, place, window_place{head, g, pixel}, chunk, region));
                });
    }

private:
    R9V_INLINE static run<float, pool_run> gather(const head_type& head, const pool_geometry& g,
                                                  const pool_block& place, const window_place& at,
                                                  std::int32_t chunk, const slots_type& region) {
        const auto pitch = static_cast<std::int32_t>(g.staged.region_width.value);
        const auto chunks = static_cast<std::int32_t>(g.staged.chunks.value);
        std::int32_t row = ((at.h - place.h) * pitch + at.w - place.w) * chunks + chunk;
        const std::int32_t row_step = head.how.dilation.height * pitch * chunks;
        const std::int32_t column_step = head.how.dilation.width * chunks;
        const std::int32_t last = (at.columns.count() - 1) * column_step;
        chunk_accumulator<kind, element> all;
        R9V_ROLLED
        for (std::int32_t r = 0; r < at.rows.count(); ++r) {
            R9V_ROLLED
            for (std::int32_t s = 0; s <= last; s += together * column_step) {
                map_chunk<element> taps[together];
                R9V_UNROLL
                for (int i = 0; i < together; ++i) {
                    const std::int32_t step = s + i * column_step;
                    taps[i] =
                        region.load(static_cast<std::uint32_t>(row + (step < last ? step : last)));
                }
                R9V_UNROLL
                for (const auto& tap : taps)
                    all.add(tap);
            }
            row += row_step;
        }
        return all.finish(head, at.rows.count() * at.columns.count());
    }
};

} // namespace r9v::inline R9V_ABI::kernels
