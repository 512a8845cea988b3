// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Pools as the executor sees them.
#pragma once

#include <r9v/kernels/family.hpp>
#include <r9v/kernels/pool/fit.hpp>
#include <r9v/kernels/pool/reference.hpp>
#include <r9v/kernels/pool/rules.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/pool/kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline status reason_of(pool_fit::misfit reason) noexcept {
    if (reason == pool_fit::misfit::staging)
        return error{"r9v: a staged pool needs contiguous channels, a multiple of 8, and a window "
                     "that fits LDS. Name a tile of regime direct."};
    return error{"r9v: the map has more pixels or channels than a launch can have. Split the batch "
                 "over several launches."};
}

} // namespace detail

/// What pools of every kind do alike.
struct pool_family {
    using geometry = pool_geometry;
    using tile = pool_tile;

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

template<class Source, class Kind, int Axes>
struct family<pool_head<Source, Kind, Axes>> : pool_family {
    template<class Program>
    using default_tiles = tile_list<pool_tile{}>;

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts&,
                                     launch_plan<geometry, tile>& to) noexcept {
        return plan_with(p, to, Tiles{});
    }

private:
    /// The first tile of the list that fits.
    template<class Program, tile... Tiles>
    [[nodiscard]] static status plan_with(const Program& p, launch_plan<geometry, tile>& to,
                                          tile_list<Tiles...>) noexcept {
        pool_fit fit;
        const bool found = ((fit = fit_pool(p, Tiles), fit.reason == pool_fit::misfit::none &&
                                                           (take<Tiles>(p, fit, to), true)) ||
                            ...);
        if (!found) return detail::reason_of(fit.reason);
        return {};
    }
    template<tile Tile, class Program>
    static void take(const Program&, const pool_fit& fit,
                     launch_plan<geometry, tile>& to) noexcept {
        to.tile = Tile;
        to.geometry = fit.geometry;
        to.add(reinterpret_cast<const void*>(&pool_kernel<arch::gfx12, Tile, Program>), fit.blocks,
               Tile.threads);
    }
#endif
};

template<class Source, int Axes>
struct family<global_pool_head<Source, Axes>> : pool_family {
    template<class Program>
    using default_tiles = tile_list<pool_tile{}>;

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts&,
                                     launch_plan<geometry, tile>& to) noexcept {
        const pool_fit fit = fit_global_pool(p);
        if (fit.reason != pool_fit::misfit::none) return detail::reason_of(fit.reason);
        to.geometry = fit.geometry;
        to.add(
            reinterpret_cast<const void*>(&global_pool_kernel<arch::gfx12, pool_tile{}, Program>),
            fit.blocks, to.tile.threads);
        return {};
    }
#endif
};

} // namespace r9v::inline R9V_ABI
