// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// GEMM programs as the executor sees them.
#pragma once

#include <r9v/kernels/family.hpp>
#include <r9v/kernels/gemm/fit.hpp>
#include <r9v/kernels/gemm/reference.hpp>
#include <r9v/kernels/gemm/rules.hpp>
#include <r9v/kernels/gemm/tuning.hpp>
#include <r9v/ops/bind.hpp>

#if R9V_HAS_KERNELS
#include <r9v/kernels/gemm/kernel.hpp>
#include <r9v/kernels/merge_taps.hpp>
#endif

namespace r9v::inline R9V_ABI {

namespace detail {

inline status reason_of(gemm_misfit misfit) noexcept {
    switch (misfit) {
    case gemm_misfit::rows:
        return error{"r9v: the skinny tile computes up to 16 rows. Name another tile for more."};
    case gemm_misfit::alignment:
        return error{"r9v: this tile needs transposed x and [k, n] weights that are 16-byte "
                     "aligned and whole multiples of 8 long. Name a medium tile."};
    case gemm_misfit::reach:
        return error{"r9v: strides are beyond 32 bits within this tile. Name a medium tile."};
    default:
        return error{"r9v: the result needs more blocks than a launch can have. Split m, n or the "
                     "batches over several launches."};
    }
}

} // namespace detail

template<class Source, class Weights>
struct family<gemm_head<Source, Weights>> {
    using geometry = gemm_geometry;
    using tile = gemm_tile;

    template<class Program>
    using default_tiles = decltype(detail::default_tile_list<detail::traits_of<Program>>());

    template<class Program>
    [[nodiscard]] static status check(const Program& p) noexcept {
        return r9v::check(p);
    }

    template<class Program>
    static void bind(Program& p) {
        r9v::bind(p.chain, p.head.result());
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
        static_assert((detail::is_valid_tile(Tiles, detail::traits_of<Program>) && ...),
                      "r9v: no kernel can be built with this gemm_tile for this program. Take one "
                      "from default_tiles, or see is_valid_tile in kernels/gemm/tuning.hpp.");
        const gemm_choice choice = choose(p, tiles, device.compute_units);
        if (choice.tile < 0) return detail::reason_of(choice.misfit);

        const void* const compiled[] = {
            reinterpret_cast<const void*>(&gemm_kernel<arch::gfx12, Tiles, Program>)...};
        kernels::add_choice<Program>(to, choice, tiles, compiled);
        return {};
    }
#endif
};

} // namespace r9v::inline R9V_ABI
