// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Transposed convolutions as the executor sees them.
#pragma once

#include <r9v/kernels/conv/transposed/fit.hpp>
#include <r9v/kernels/conv/transposed/reference.hpp>
#include <r9v/kernels/conv/transposed/rules.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/conv/transposed/kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

template<class Source, class Filter, int Axes>
struct family<conv_transpose_head<Source, Filter, Axes>> {
    using geometry = conv_transpose_geometry;
    using tile = conv_tile;

    template<class Program>
    using default_tiles = decltype(detail::default_own_filter_tiles<typename Program::head_type>());

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
        static_assert(detail::allows_tiles<typename Program::head_type>(tile_list<Tiles...>{}),
                      "r9v: no kernel can be built with this conv_tile for this program. Take one "
                      "from default_tiles.");
        const conv_transpose_choice choice = choose_transposed(p, tiles, device.compute_units);
        if (choice.tile < 0) return detail::own_filter_misfit(choice.is_too_large);

        const void* const compiled[] = {
            reinterpret_cast<const void*>(&conv_transpose_kernel<arch::gfx12, Tiles, Program>)...};
        kernels::add_choice<Program>(to, choice, tiles, compiled);
        return {};
    }
#endif
};

} // namespace r9v::inline R9V_ABI
