// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Row programs as the executor sees them.
#pragma once

#include <r9v/kernels/family.hpp>
#include <r9v/kernels/rows/fit.hpp>
#include <r9v/kernels/rows/reference.hpp>
#include <r9v/kernels/rows/rules.hpp>
#include <r9v/kernels/rows/tuning.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/rows/kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline status reason_of(row_fit::misfit reason) noexcept {
    switch (reason) {
    case row_fit::misfit::registers:
        return error{"r9v: the rows are too long for this tile's registers. Name a tile of regime "
                     "streaming or split."};
    case row_fit::misfit::again:
        return error{"r9v: tee() writes what its prologue reads, and rows this long are loaded "
                     "twice. Let tee() write other memory."};
    case row_fit::misfit::length:
        return error{
            "r9v: the rows have more than 2^30 columns. Split them over several launches."};
    default:
        return error{"r9v: the rows need more blocks than a launch can have. Split them over "
                     "several launches."};
    }
}

} // namespace detail

template<class Source, class Kind>
struct family<row_head<Source, Kind>> {
    using geometry = row_geometry;
    using tile = row_tile;

    template<class Program>
    using default_tiles = decltype(detail::default_row_tiles<Program>());

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
                                          tile_list<Tiles...>) noexcept {
        static_assert((detail::is_valid_row_tile<Program>(Tiles) && ...),
                      "r9v: no kernel can be built with this row_tile for this program. Take one "
                      "from default_tiles, or see is_valid_row_tile in kernels/rows/tuning.hpp.");
        constexpr tile all[] = {Tiles...};
        const row_choice choice =
            r9v::choose_rows(p, all, static_cast<int>(sizeof...(Tiles)), device.compute_units);
        if (choice.tile < 0) return detail::reason_of(choice.fit.reason);
        to.tile = all[choice.tile];
        to.geometry = choice.fit.geometry;
        int at = 0;
        (add_if<Program, Tiles>(at++ == choice.tile, choice.fit, to), ...);
        return {};
    }

    template<class Program, tile Tile>
    static void add_if(bool chosen, const row_fit& fit, launch_plan<geometry, tile>& to) noexcept {
        constexpr tile compiled = detail::kernel_tile(Tile);
        if (!chosen) return;
        if constexpr (Tile.regime == row_regime::split) {
            to.scratch_bytes =
                static_cast<std::size_t>(fit.states * row_part_floats<Kind>) * sizeof(float);
            if (fit.states != 0)
                to.add(reinterpret_cast<const void*>(
                           &row_parts_kernel<arch::gfx12, compiled, Program>),
                       fit.blocks, Tile.threads());
        }
        to.add(reinterpret_cast<const void*>(&row_kernel<arch::gfx12, compiled, Program>),
               fit.blocks, Tile.threads());
    }
#endif
};

} // namespace r9v::inline R9V_ABI
