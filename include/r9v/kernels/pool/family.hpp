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

inline constexpr pool_tile direct_pool_tile{};
inline constexpr pool_tile staged_pool_tile{.regime = pool_regime::staged};

/// Statistics of a pixel want all of its channels in one wave; strided channels are no chunks.
template<class Program>
constexpr bool is_valid_pool_tile(const pool_tile& t) {
    return t == direct_pool_tile ||
           (t == staged_pool_tile && !Program::chain_type::has_state &&
            Program::head_type::x_view::element_layout == layout::row_major);
}

template<class Program>
constexpr auto default_pool_tiles() {
    if constexpr (is_valid_pool_tile<Program>(staged_pool_tile)) {
        return tile_list<staged_pool_tile, direct_pool_tile>{};
    } else {
        return tile_list<direct_pool_tile>{};
    }
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
    using default_tiles = decltype(detail::default_pool_tiles<Program>());

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
        static_assert((detail::is_valid_pool_tile<Program>(Tiles) && ...),
                      "r9v: no kernel can be built with this pool_tile for this program. Take one "
                      "from default_tiles, or see is_valid_pool_tile in kernels/pool/family.hpp.");
        constexpr tile all[] = {Tiles...};
        const void* const compiled[] = {
            reinterpret_cast<const void*>(&pool_kernel<arch::gfx12, Tiles, Program>)...};
        int chosen = -1;
        pool_fit best;
        for (int i = 0; i < static_cast<int>(sizeof...(Tiles)); ++i) {
            const pool_fit fit = fit_pool(p, all[i], device.compute_units);
            if (fit.reason != pool_fit::misfit::none) {
                if (chosen < 0) best.reason = fit.reason;
                continue;
            }
            if (chosen >= 0 && fit.cost >= best.cost) continue;
            chosen = i;
            best = fit;
        }
        if (chosen < 0) return detail::reason_of(best.reason);
        to.tile = all[chosen];
        to.geometry = best.geometry;
        to.add(compiled[chosen], best.blocks, to.tile.threads);
        return {};
    }
#endif
};

template<class Source, int Axes>
struct family<chained_pool_head<Source, Axes>> : pool_family {
    template<class Program>
    using default_tiles = tile_list<detail::staged_pool_tile>;

    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        static_assert(!Program::chain_type::has_state,
                      "r9v: pools in a chain gather no statistics, since their results are spread "
                      "over blocks. Take them of the tensor that is stored, in the next program.");
        return r9v::check(p);
    }

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts& device,
                                     launch_plan<geometry, tile>& to) noexcept {
        constexpr tile staged = detail::staged_pool_tile;
        const pool_fit fit = fit_chained_pool(p, device.compute_units);
        if (fit.reason == pool_fit::misfit::staging)
            return error{"r9v: %d pools with windows of %d pixels reach too far for one kernel. "
                         "Write two shorter chains.",
                         p.head.how.count, p.head.how.window};
        if (fit.reason != pool_fit::misfit::none) return detail::reason_of(fit.reason);
        to.tile = staged;
        to.geometry = fit.geometry;
        to.add(reinterpret_cast<const void*>(&chained_pool_kernel<arch::gfx12, staged, Program>),
               fit.blocks, staged.threads);
        return {};
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
