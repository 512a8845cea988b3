// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// From a program to a prepared launch: the checks, and the plan of the program's kernel family. Its
// instantiation is what compiles a program's kernels (R9V_INSTANTIATE).
#pragma once

#include <r9v/exec/job.hpp>
#include <r9v/exec/prepared.hpp>

#if R9V_HAS_KERNELS

namespace r9v::inline R9V_ABI {

/// The function is defined outside the class, so that an explicit instantiation declaration keeps
/// other translation units from compiling the kernels.
template<class Program, class Tiles>
struct executor {
    /// Checks chosen's program and fills in the rest.
    static status prepare(prepared<Program>& chosen) noexcept;
};

template<class Program, class Tiles>
status executor<Program, Tiles>::prepare(prepared<Program>& chosen) noexcept {
    using family = family_of<Program>;
    if (status fits = family::check(chosen.program_); !fits) return fits;
    int device = 0;
    if (const auto found = platform::current_device(&device); found != platform::success)
        return platform::check(found, "device query");
    const platform::device_traits traits = platform::device(device);
    if (traits.architecture != 1200 && traits.architecture != 1201)
        return error{"r9v: there are no kernels for this device (gfx%d). Run on gfx1200 or "
                     "gfx1201, or on r9v::reference.",
                     traits.architecture};

    chosen.fills_ = exec::fills_of(chosen.program_.chain);
    if (!chosen.fills_.outcome) return chosen.fills_.outcome;
    family::bind(chosen.program_);
    return family::template plan<Program, Tiles>(
        chosen.program_, {traits.architecture, traits.compute_units}, chosen.plan_);
}

} // namespace r9v::inline R9V_ABI

#endif // R9V_HAS_KERNELS
