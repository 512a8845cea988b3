// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Convolutions with stem filters as the executor sees them.
#pragma once

#include <r9v/kernels/conv/family.hpp>
#include <r9v/kernels/conv/stem/fit.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/conv/stem/pool_kernel.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline status reason_of(stem_misfit misfit) noexcept {
    if (misfit == stem_misfit::pool)
        return error{"r9v: this pool's window needs more pixels than a block of the convolution "
                     "has. Store the map and call max_pool(x, {...}) as a program of its own."};
    return error{"r9v: the result has more pixels or blocks than a launch can have. Split the "
                 "batch over several launches."};
}

} // namespace detail

template<class Source, class T, space Where, int Axes>
struct family<conv_head<Source, packed_filter<T, Where, filter_kind::stem>, Axes>> : conv_family {
    using geometry = stem_geometry;
    using tile = stem_tile;

    template<class Program>
    using default_tiles = decltype(detail::default_stem_tiles<typename Program::chain_type>());

    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        if constexpr (Program::chain_type::has_pool) {
            return check_pooled(p);
        } else {
            return conv_family::check(p);
        }
    }

    template<class Program>
    static void bind(Program& p) {
        if constexpr (Program::chain_type::has_pool) {
            bind_pooled(p);
        } else {
            conv_family::bind(p);
        }
    }

    template<class Program>
    static void run_reference(const Program& p) {
        if constexpr (Program::chain_type::has_pool) {
            run_pooled_reference(p);
        } else {
            conv_family::run_reference(p);
        }
    }

#if R9V_HAS_KERNELS
    template<class Program, class Tiles>
    [[nodiscard]] static status plan(const Program& p, const device_facts&,
                                     launch_plan<geometry, tile>& to) noexcept {
        return plan_with(p, to, Tiles{});
    }

private:
    template<class Program, tile... Tiles>
    [[nodiscard]] static status plan_with(const Program& p, launch_plan<geometry, tile>& to,
                                          tile_list<Tiles...> tiles) noexcept {
        static_assert((detail::is_valid_stem_tile(Tiles) && ...),
                      "r9v: no kernel can be built with this stem_tile. Take one from "
                      "default_tiles, or see is_valid_stem_tile in kernels/conv/stem/tuning.hpp.");
        const stem_choice choice = choose_stem(p, tiles);
        if (choice.tile < 0) return detail::reason_of(choice.misfit);

        const void* const compiled[] = {kernel_of<Program, Tiles>()...};
        kernels::add_choice<Program>(to, choice, tiles, compiled);
        return {};
    }

    template<class Program, tile Tile>
    [[nodiscard]] static const void* kernel_of() noexcept {
        if constexpr (Program::chain_type::has_pool) {
            return reinterpret_cast<const void*>(&pooled_stem_kernel<arch::gfx12, Tile, Program>);
        } else {
            return reinterpret_cast<const void*>(&stem_kernel<arch::gfx12, Tile, Program>);
        }
    }
#endif
};

} // namespace r9v::inline R9V_ABI
