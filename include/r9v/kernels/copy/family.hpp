// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Copies as the executor sees them.
#pragma once

#include <r9v/kernels/copy/fit.hpp>
#include <r9v/kernels/copy/reference.hpp>
#include <r9v/kernels/copy/rules.hpp>
#include <r9v/kernels/family.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/copy/kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline constexpr copy_tile runs_copy_tile{};
inline constexpr copy_tile turned_copy_tile{.regime = copy_regime::turned};

template<class Program>
constexpr bool is_valid_copy_tile(const copy_tile& t) {
    using chain = typename Program::chain_type;
    return t == runs_copy_tile ||
           (t == turned_copy_tile && !chain::has_state &&
            (loads_turned<typename Program::head_type> || stores_turned<chain>()));
}

template<class Program>
constexpr auto default_copy_tiles() {
    if constexpr (is_valid_copy_tile<Program>(turned_copy_tile)) {
        return tile_list<turned_copy_tile, runs_copy_tile>{};
    } else {
        return tile_list<runs_copy_tile>{};
    }
}

inline status reason_of(copy_fit::misfit reason) noexcept {
    if (reason == copy_fit::misfit::layout)
        return error{"r9v: turning wants 8 rows or more, and on each side rows or columns that are "
                     "neighbours in memory. Name a tile of regime runs."};
    return error{"r9v: the tensor has more elements than a launch can have. Split it over several "
                 "launches."};
}

} // namespace detail

template<class Source>
struct family<copy_head<Source>> {
    using geometry = copy_geometry;
    using tile = copy_tile;

    template<class Program>
    using default_tiles = decltype(detail::default_copy_tiles<Program>());

    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        return r9v::check(p);
    }
    template<class Program>
    static void bind(Program& p) {
        r9v::bind(p.chain, p.head.result());
        r9v::bind(p.head.x.prologue, p.head.result());
    }
    template<class Program>
    static void run_reference(const Program& p) {
        r9v::run_reference(p);
    }

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
        static_assert((detail::is_valid_copy_tile<Program>(Tiles) && ...),
                      "r9v: no kernel can be built with this copy_tile for this program. Take one "
                      "from default_tiles, or see is_valid_copy_tile in kernels/copy/family.hpp.");
        constexpr tile all[] = {Tiles...};
        const void* const compiled[] = {
            reinterpret_cast<const void*>(&copy_kernel<arch::gfx12, Tiles, Program>)...};
        copy_fit fit;
        for (std::size_t i = 0; i < sizeof...(Tiles); ++i) {
            fit = fit_copy(p, all[i]);
            if (fit.reason != copy_fit::misfit::none) continue;
            to.tile = all[i];
            to.geometry = fit.geometry;
            to.add(compiled[i], fit.blocks, to.tile.threads);
            return {};
        }
        return detail::reason_of(fit.reason);
    }
#endif
};

} // namespace r9v::inline R9V_ABI
