// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Pools in a chain: a block loads its region of the map once and pools it in LDS, along rows and
// then along columns, over and over. Each pass makes the region's border worthless by half a
// window; what is left of it at the end is the block's tile.
#pragma once

#include <r9v/kernels/pool/chained_problem.hpp>
#include <r9v/kernels/pool/chunk.hpp>

namespace r9v::inline R9V_ABI::kernels {

template<class Program, int Threads>
class chained_pool {
    using head_type = typename Program::head_type;
    using chain_type = typename Program::chain_type;
    using element = typename head_type::element;
    using chunk_type = map_chunk<element>;
    using slots_type = chunk_slots<element, staged_bytes / 2 / chunk_type::bytes>;
    using maxima = chunk_accumulator<window_maximum, element>;

public:
    static constexpr int lds_bytes = 2 * slots_type::bytes;

    R9V_INLINE chained_pool(const Program& program, const pool_geometry& g, arch::local_bytes lds)
        : program_{program},
          head_{program.head},
          g_{g.staged},
          place_{pool_block::of(g.staged)},
          map_{lds},
          rows_{lds + slots_type::bytes},
          height_{static_cast<std::int32_t>(head_.height())},
          width_{static_cast<std::int32_t>(head_.width())},
          channels_{static_cast<std::int32_t>(head_.channels())} {
        place_.h = place_.row - (g_.region_height - g_.tile_height) / 2;
        place_.w = place_.column -
                   static_cast<std::int32_t>(g_.region_width.value - g_.tile_width.value) / 2;
    }

    R9V_INLINE void run_block(bool whole_chunks) {
        load(whole_chunks);
        arch::barrier();
        std::int32_t level = 0;
        if (head_.how.with_input) {
            for_each_pixel([&](const spot& at) R9V_INLINE_LAMBDA {
                if (is_mine(at)) finish(at, map_.load(at.slot).values(), 0);
            });
            level = 1;
        }
        R9V_ROLLED
        for (std::int32_t i = 0; i < head_.how.count; ++i) {
            for_each_pixel([&](const spot& at)
                               R9V_INLINE_LAMBDA { rows_.store(at.slot, along_row(at).chunk()); });
            arch::barrier();
            for_each_pixel([&](const spot& at) R9V_INLINE_LAMBDA {
                const maxima all = along_column(at);
                map_.store(at.slot, all.chunk());
                if (is_mine(at)) finish(at, all.finish(head_, 0), level + i);
            });
            arch::barrier();
        }
    }

private:
    /// A chunk of a pixel of the region that lies in the map.
    struct spot {
        std::uint32_t slot;
        std::int32_t row; ///< in the region
        std::int32_t column;
        std::int32_t h; ///< in the map
        std::int32_t w;
        std::int32_t channel;
    };

    template<class Visit>
    R9V_INLINE void for_each_pixel(Visit visit) const {
        for_each_slot<Threads>(g_.region_height, g_.region_width, g_.chunks,
                               [&](std::uint32_t slot, std::int32_t row, std::int32_t column,
                                   std::int32_t chunk) R9V_INLINE_LAMBDA {
                                   const spot at{slot,
                                                 row,
                                                 column,
                                                 place_.h + row,
                                                 place_.w + column,
                                                 (place_.chunk + chunk) * pool_run};
                                   if (at.h >= 0 && at.h < height_ && at.w >= 0 && at.w < width_ &&
                                       at.channel < channels_)
                                       visit(at);
                               });
    }

    /// Whether a pixel belongs to the block's tile.
    [[nodiscard]] R9V_INLINE bool is_mine(const spot& at) const {
        return at.h >= place_.row && at.h < place_.row + g_.tile_height && at.w >= place_.column &&
               at.w < place_.column + static_cast<std::int32_t>(g_.tile_width.value);
    }

    R9V_INLINE void load(bool whole_chunks) {
        if constexpr (head_type::x_view::element_layout == layout::row_major) {
            if (whole_chunks) {
                load_region<Threads>(head_, g_, place_, map_);
                return;
            }
        }
        for_each_pixel([&](const spot& at) R9V_INLINE_LAMBDA { map_.store(at.slot, singly(at)); });
    }
    /// A chunk whose channels are strided, or which has fewer than eight.
    [[nodiscard]] R9V_INLINE chunk_type singly(const spot& at) const {
        run<float, pool_run> values = broadcast<pool_run>(0.0f);
        const auto* from = head_.x.view.data + head_.offset(place_.image, at.h, at.w, at.channel);
        R9V_UNROLL
        for (int e = 0; e < pool_run; ++e) {
            if (at.channel + e >= channels_) continue;
            const coordinate here{.batch_base = place_.image,
                                  .row_base = at.w,
                                  .column_base = at.channel + e,
                                  .head_base = at.h};
            values[e] = load_map<1>(head_, from + e * head_.channel_stride(), here)[0];
        }
        return chunk_type::rounded(values);
    }

    /// The maxima of 2 * reach + 1 places around one, `step` apart: of those from `before` in front
    /// of it to `behind` behind it.
    [[nodiscard]] R9V_INLINE static maxima around(const slots_type& from, std::uint32_t slot,
                                                  std::int32_t step, std::int32_t before,
                                                  std::int32_t behind) {
        constexpr int together = 5; // a repeated one changes nothing
        const std::int32_t last = behind * step;
        maxima all;
        R9V_ROLLED
        for (std::int32_t away = -before * step; away <= last; away += together * step) {
            chunk_type taps[together];
            R9V_UNROLL
            for (int i = 0; i < together; ++i) {
                const std::int32_t at = away + i * step;
                taps[i] = from.load(slot + static_cast<std::uint32_t>(at < last ? at : last));
            }
            R9V_UNROLL
            for (const auto& tap : taps)
                all.add(tap);
        }
        return all;
    }
    [[nodiscard]] R9V_INLINE static std::int32_t least(std::int32_t a, std::int32_t b,
                                                       std::int32_t c) {
        const std::int32_t ab = a < b ? a : b;
        return ab < c ? ab : c;
    }
    [[nodiscard]] R9V_INLINE maxima along_row(const spot& at) const {
        const auto columns = static_cast<std::int32_t>(g_.region_width.value);
        return around(map_, at.slot, static_cast<std::int32_t>(g_.chunks.value),
                      least(head_.how.reach(), at.column, at.w),
                      least(head_.how.reach(), columns - 1 - at.column, width_ - 1 - at.w));
    }
    [[nodiscard]] R9V_INLINE maxima along_column(const spot& at) const {
        return around(rows_, at.slot,
                      static_cast<std::int32_t>(g_.chunks.value * g_.region_width.value),
                      least(head_.reach_down(), at.row, at.h),
                      least(head_.reach_down(), g_.region_height - 1 - at.row, height_ - 1 - at.h));
    }

    R9V_INLINE void finish(const spot& at, const run<float, pool_run>& values, std::int32_t level) {
        typename states_of<map_math, chain_type>::type states; // of no taps: check() refuses them
        coordinate to{.batch_base = place_.image,
                      .row_base = at.w,
                      .column_base = index_t{level} * channels_ + at.channel,
                      .head_base = at.h};
        const std::int32_t left =
            channels_ - at.channel < pool_run ? channels_ - at.channel : pool_run;
        // Ops may count on runs that begin at a multiple of their width: groups of 8 columns do.
        if (left == pool_run && to.column_base % pool_run == 0) {
            evaluate(map_math{}, program_.chain, states, to, values);
            return;
        }
        R9V_ROLLED
        for (std::int32_t e = 0; e < left; ++e) {
            float value = values[0];
            R9V_UNROLL
            for (int i = 1; i < pool_run; ++i) // registers have no index
                value = i == e ? values[i] : value;
            evaluate(map_math{}, program_.chain, states, to, run<float, 1>{{value}});
            ++to.column_base;
        }
    }

    const Program& program_;
    const head_type& head_;
    const staged_shape& g_;
    pool_block place_;
    slots_type map_;
    slots_type rows_;
    std::int32_t height_;
    std::int32_t width_;
    std::int32_t channels_;
};

} // namespace r9v::inline R9V_ABI::kernels
