// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// From a program to a prepared launch: the checks, the choice of the tile, the kernel. The one place
// that names kernels, and so the one place whose instantiation compiles them (R9V_INSTANTIATE).
#pragma once

#include <r9v/exec/job.hpp>
#include <r9v/exec/prepared.hpp>

#if R9V_GPU

#include <r9v/kernels/gemm/kernel.hpp>
#include <r9v/kernels/gemm/rules.hpp>

namespace r9v::inline R9V_ABI {

template<class Program, class Tiles>
struct executor;

/// Functions are defined outside the class, so that an explicit instantiation declaration keeps
/// other translation units from compiling the kernels.
template<class Program, gemm_tile... Tiles>
struct executor<Program, tile_list<Tiles...>> {
    static status prepare(const Program& p, prepared<Program>& chosen) noexcept;
};

template<class Program, gemm_tile... Tiles>
status executor<Program, tile_list<Tiles...>>::prepare(const Program& p,
                                                       prepared<Program>& chosen) noexcept {
    if (status fits = check(p); !fits) return fits;
    int device = 0;
    if (const auto found = platform::current_device(&device); found != platform::success)
        return platform::check(found, "device query");
    const int architecture = platform::architecture_of(device);
    if (architecture != 1200 && architecture != 1201)
        return error{"r9v: there are no kernels for this device (gfx%d). Run on gfx1200 or gfx1201, "
                     "or on r9v::reference.",
                     architecture};

    chosen.program_ = exec::bound(p, p.head.result());
    chosen.fills_ = exec::fills_of(p.chain);
    if (!chosen.fills_.outcome) return chosen.fills_.outcome;
    return exec::choose<Program, Tiles...>(p, chosen);
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_GPU
