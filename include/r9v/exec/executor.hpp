// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// From a program to a prepared launch: the checks, the choice of the tile, the kernel. The one
// place that names kernels, and so the one place whose instantiation compiles them
// (R9V_INSTANTIATE).
#pragma once

#include <r9v/exec/job.hpp>
#include <r9v/exec/prepared.hpp>

#if R9V_HAS_KERNELS

#include <r9v/kernels/gemm/fit.hpp>
#include <r9v/kernels/gemm/kernel.hpp>
#include <r9v/kernels/gemm/rules.hpp>

namespace r9v::inline R9V_ABI {

namespace exec {

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

} // namespace exec

template<class Program, class Tiles>
struct executor;

/// Functions are defined outside the class, so that an explicit instantiation declaration keeps
/// other translation units from compiling the kernels.
template<class Program, gemm_tile... Tiles>
struct executor<Program, tile_list<Tiles...>> {
    static_assert((detail::is_valid_tile(Tiles, detail::traits_of<Program>) && ...),
                  "r9v: no kernel can be built with this gemm_tile for this program. Take one from "
                  "default_tiles, or see is_valid_tile in kernels/gemm/tuning.hpp.");

    /// Checks chosen's program and fills in the rest.
    static status prepare(prepared<Program>& chosen) noexcept;

private:
    static const void* kernel(int tile) noexcept;
};

template<class Program, gemm_tile... Tiles>
const void* executor<Program, tile_list<Tiles...>>::kernel(int tile) noexcept {
    const void* const kernels[] = {
        reinterpret_cast<const void*>(&gemm_kernel<arch::gfx12, Tiles, Program>)...};
    return kernels[tile];
}

template<class Program, gemm_tile... Tiles>
status executor<Program, tile_list<Tiles...>>::prepare(prepared<Program>& chosen) noexcept {
    const Program& p = chosen.program_;
    if (status fits = check(p); !fits) return fits;
    int device = 0;
    if (const auto found = platform::current_device(&device); found != platform::success)
        return platform::check(found, "device query");
    const platform::device_traits traits = platform::device(device);
    if (traits.architecture != 1200 && traits.architecture != 1201)
        return error{"r9v: there are no kernels for this device (gfx%d). Run on gfx1200 or "
                     "gfx1201, or on r9v::reference.",
                     traits.architecture};

    chosen.fills_ = exec::fills_of(p.chain);
    if (!chosen.fills_.outcome) return chosen.fills_.outcome;
    const gemm_choice choice = choose(p, tile_list<Tiles...>{}, traits.compute_units);
    if (choice.tile < 0) return exec::reason_of(choice.misfit);

    constexpr gemm_tile tiles[] = {Tiles...};
    r9v::bind(chosen.program_.chain, p.head.result()); // qualified: functors bring std::bind
    chosen.geometry_ = choice.geometry;
    chosen.tile_ = tiles[choice.tile];
    chosen.kernel_ = kernel(choice.tile);
    chosen.blocks_ = static_cast<unsigned>(choice.blocks);
    if constexpr (Program::chain_type::ordered_taps > 0) {
        const index_t rows = choice.geometry.batches * choice.geometry.m;
        chosen.scratch_bytes_ = static_cast<std::size_t>(rows * choice.geometry.parts *
                                                         Program::chain_type::stateful_taps) *
                                sizeof(float);
        chosen.merge_kernel_ =
            reinterpret_cast<const void*>(&exec::merge_kernel<arch::gfx12, Program>);
        chosen.merge_blocks_ = static_cast<unsigned>(ceil_div<index_t>(rows, exec::merge_threads));
    }
    return {};
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_HAS_KERNELS
