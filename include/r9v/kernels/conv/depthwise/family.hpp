// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Depthwise convolutions as the executor sees them: every output channel sees one input channel, so
// there is nothing to multiply matrices for, and memory is the bound.
#pragma once

#include <r9v/kernels/conv/depthwise/fit.hpp>
#include <r9v/kernels/conv/family.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/conv/depthwise/kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline status reason_of(depthwise_misfit misfit) noexcept {
    if (misfit == depthwise_misfit::stage)
        return error{"r9v: what this filter spans does not fit into the tile's LDS. Name a "
                     "depthwise_tile of regime direct, or one with more LDS."};
    return error{"r9v: the result has more pixels or blocks than a launch can have. Split the "
                 "batch over several launches."};
}

} // namespace detail

template<class Source, class T, space Where, int Axes>
struct family<conv_head<Source, packed_filter<T, Where, filter_kind::depthwise>, Axes>>
    : conv_family {
    using geometry = depthwise_geometry;
    using tile = depthwise_tile;

    template<class Program>
    using default_tiles = tile_list<detail::staged_depthwise_tile, detail::direct_depthwise_tile>;

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts& device,
                                     launch_plan<geometry, tile>& to) noexcept {
        return plan_with(p, device, to, Tiles{});
    }

private:
    template<class Program, tile... Tiles>
    [[nodiscard]] static status plan_with(const Program& p, const device_facts& device,
                                          launch_plan<geometry, tile>& to,
                                          tile_list<Tiles...> tiles) noexcept {
        static_assert((detail::is_valid_depthwise_tile(Tiles) && ...),
                      "r9v: no kernel can be built with this depthwise_tile. Take one from "
                      "default_tiles, or see is_valid_depthwise_tile in "
                      "kernels/conv/depthwise/tuning.hpp.");
        const depthwise_choice choice = choose_depthwise(p, tiles, device.compute_units);
        if (choice.tile < 0) return detail::reason_of(choice.misfit);

        const void* const compiled[] = {
            reinterpret_cast<const void*>(&depthwise_kernel<arch::gfx12, Tiles, Program>)...};
        kernels::add_choice<Program>(to, choice, tiles, compiled);
        return {};
    }
#endif
};

} // namespace r9v::inline R9V_ABI
