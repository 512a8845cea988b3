// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The epilogue of depthwise kernels: a lane has 8 neighbouring channels of a run of neighbouring
// pixels.
#pragma once

#include <r9v/kernels/conv/depthwise/sums.hpp>
#include <r9v/tile/finish.hpp>

#include <utility>

namespace r9v::inline R9V_ABI::kernels {

/// What a lane finishes: pixels from (`row`, `column`) of the block's part on, and a chunk of the
/// block's channels.
struct depthwise_item {
    std::int32_t row;
    std::int32_t column;
    std::int32_t chunk;
};

template<class Program, int Run>
class depthwise_finisher {
    using chain_type = typename Program::chain_type;
    using wide_math = tile::device_math<std::uint32_t>;
    using narrow_math = tile::device_math<index_t>;
    using states_type = typename states_of<wide_math, chain_type>::type;
    /// Whether the chain is short enough to be compiled once for every pixel of a run.
    static constexpr bool is_repeated = tile::detail::weight<chain_type> <= 4;

public:
    R9V_INLINE depthwise_finisher(const Program& program, const depthwise_geometry& g,
                                  const depthwise_place& place)
        : ops_{program.chain},
          g_{g},
          place_{place},
          first_pixel_{g.pixel_of(place.image, place.row, place.column)} {
        reset_taps<tap_scope::tensor>(ops_, states_);
    }

    R9V_INLINE void finish(depthwise_sums<Run>& sums, const depthwise_item& item) {
        const std::int32_t count = g_.columns - place_.column - item.column;
        const std::int32_t channels = g_.outputs - 8 * (place_.chunk + item.chunk);
        if (g_.wide_chain != 0 && channels >= 8) {
            finish_wide(sums, item, count);
        } else {
            finish_narrow(sums, item, count, channels);
        }
    }

    /// Every lane of the wave must be on.
    R9V_INLINE void commit() {
        if constexpr (chain_type::has_state) {
            for_each_tap<tap_scope::tensor>(ops_, states_, [&](const auto& op, auto& state, int) {
                float all = state;
                R9V_UNROLL
                for (std::uint32_t distance = 16; distance >= 1; distance /= 2)
                    all = op.merge(narrow_math{}, all,
                                   arch::from_lane(all, arch::lane_index() ^ distance));
                if (arch::lane_index() == 0) op.commit(narrow_math{}, all, coordinate{});
            });
        }
    }

private:
    // The first pixel exists without a condition, so that what follows channels alone, such as a
    // bias, is loaded once for all of them.
    R9V_INLINE void finish_wide(depthwise_sums<Run>& sums, const depthwise_item& item,
                                std::int32_t count) {
        const auto one = [&](const run<float, 8>& values, std::int32_t i) R9V_INLINE_LAMBDA {
            const coordinate at{.row_base = first_pixel_ + i,
                                .column_base = 8 * place_.chunk,
                                .row_offset = item.row * g_.columns + item.column,
                                .column_offset = 8 * item.chunk};
            reset_taps<tap_scope::row>(ops_, states_);
            evaluate(wide_math{}, ops_, states_, at, values);
            commit_row(item, i);
        };
        if constexpr (is_repeated) {
            [&]<int... Is>(std::integer_sequence<int, Is...>) R9V_INLINE_LAMBDA {
                (
                    [&]() R9V_INLINE_LAMBDA {
                        if (Is == 0 || Is < count) one(sums[Is], Is);
                    }(),
                    ...);
            }(std::make_integer_sequence<int, Run>{});
        } else {
            for_each_in_turn(sums, count, one);
        }
    }

    R9V_INLINE void finish_narrow(depthwise_sums<Run>& sums, const depthwise_item& item,
                                  std::int32_t count, std::int32_t channels) {
        for_each_in_turn(sums, count, [&](run<float, 8> values, std::int32_t i) R9V_INLINE_LAMBDA {
            coordinate at = position(item, i);
            reset_taps<tap_scope::row>(ops_, states_);
            R9V_ROLLED
            for (std::int32_t e = 0; e < 8; ++e) {
                if (e < channels)
                    evaluate(narrow_math{}, ops_, states_, at, run<float, 1>{{values[0]}});
                R9V_UNROLL
                for (int next = 0; next < 7; ++next)
                    values[next] = values[next + 1];
                ++at.column_offset;
            }
            commit_row(item, i);
        });
    }

    /// Registers have no index that is not a constant: the run is turned in them.
    template<class Visit>
    R9V_INLINE static void for_each_in_turn(depthwise_sums<Run>& sums, std::int32_t count,
                                            Visit visit) {
        std::int32_t i = 0;
        R9V_ROLLED
        do {
            visit(sums[0], i);
            R9V_UNROLL
            for (int next = 0; next + 1 < Run; ++next)
                sums[next] = sums[next + 1];
        } while (++i < Run && i < count);
    }

    R9V_INLINE coordinate position(const depthwise_item& item, std::int32_t i) const {
        return {.batch_base = place_.image,
                .row_base = place_.column + item.column + i,
                .column_base = 8 * place_.chunk,
                .column_offset = 8 * item.chunk,
                .head_base = place_.row + item.row};
    }

    R9V_INLINE void commit_row(const depthwise_item& item, std::int32_t i) {
        if constexpr (chain_type::has_state) {
            const coordinate at = position(item, i);
            for_each_tap<tap_scope::row>(ops_, states_, [&](const auto& op, auto& state, int tap) {
                using Op = std::remove_cvref_t<decltype(op)>;
                if constexpr (Op::merge_kind == tap_merge::ordered) {
                    g_.partials_of(tap, g_.row_number(at))[place_.chunk + item.chunk] = state;
                } else {
                    op.commit(narrow_math{}, state, at);
                }
            });
        }
    }

    const chain_type& ops_;
    const depthwise_geometry& g_;
    const depthwise_place& place_;
    index_t first_pixel_;
    states_type states_;
};

} // namespace r9v::inline R9V_ABI::kernels
