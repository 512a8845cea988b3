// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions as the executor sees them.
#pragma once

#include <r9v/kernels/conv/fit.hpp>
#include <r9v/kernels/conv/reference.hpp>
#include <r9v/kernels/conv/rules.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/conv/kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline status reason_of(conv_misfit misfit) noexcept {
    if (misfit == conv_misfit::channels)
        return error{"r9v: this tile needs contiguous channels, a multiple of 8 and more than 4, "
                     "and a filter of up to 16 x 16. Name a scattered tile."};
    return error{"r9v: the result has more pixels or blocks than a launch can have. Split the "
                 "batch over several launches."};
}

} // namespace detail

/// What convolutions of every kind do alike.
struct conv_family {
    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        return r9v::check(p);
    }

    template<class Program>
    static void bind(Program& p) {
        r9v::bind(p.chain, p.head.result());
        r9v::bind(p.head.x.prologue, p.head.source_extents());
    }

    template<class Program>
    static void run_reference(const Program& p) {
        r9v::run_reference(p);
    }
};

template<class Source, class Filter, int Axes>
struct family<conv_head<Source, Filter, Axes>> : conv_family {
    using geometry = conv_geometry;
    using tile = conv_tile;

    template<class Program>
    using default_tiles = decltype(detail::default_conv_tiles<typename Program::head_type>());

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
        constexpr layout of_map = Program::head_type::x_view::element_layout;
        static_assert((detail::is_valid_conv_tile(Tiles, of_map) && ...),
                      "r9v: no kernel can be built with this conv_tile for this program. Take one "
                      "from default_tiles, or see is_valid_conv_tile in kernels/conv/tuning.hpp.");
        const conv_choice choice = choose(p, tiles, device.compute_units);
        if (choice.tile < 0) return detail::reason_of(choice.misfit);

        const void* const compiled[] = {
            reinterpret_cast<const void*>(&conv_kernel<arch::gfx12, Tiles, Program>)...};
        kernels::add_choice<Program>(to, choice, tiles, compiled);
        return {};
    }
#endif
};

} // namespace r9v::inline R9V_ABI
