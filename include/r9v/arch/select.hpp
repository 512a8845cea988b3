// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Which architecture this compilation is for: the only place that asks. A target is a type, so that
// it can be part of a kernel's type; one binary for several cards then holds no body twice.
#pragma once

#include <r9v/core/config.hpp>

namespace r9v::inline R9V_ABI::arch {

/// RDNA4: gfx1200 and gfx1201.
struct gfx12 {
    static constexpr const char* name = "gfx12";
};

/// The pass that compiles host code, and devices that r9v has no kernels for.
struct no_target {};

#if defined(__gfx1200__) || defined(__gfx1201__)
using compiled_target = gfx12;
#else
using compiled_target = no_target;
#endif

#if defined(__AMDGCN_WAVEFRONT_SIZE__) && defined(__HIP_DEVICE_COMPILE__)
static_assert(__AMDGCN_WAVEFRONT_SIZE__ == 32,
              "r9v: kernels need waves of 32 lanes. Remove -mwavefrontsize64.");
#endif

} // namespace r9v::inline R9V_ABI::arch

// The host pass reads the device functions too, to check the kernels that call them.
#if defined(__HIP__)
#include <r9v/arch/common/argument.hpp>
#include <r9v/arch/common/lane.hpp>
#include <r9v/arch/common/math.hpp>
#include <r9v/arch/common/memory.hpp>
#include <r9v/arch/common/schedule.hpp>
#include <r9v/arch/common/vector.hpp>
#include <r9v/arch/gfx12/barrier.hpp>
#include <r9v/arch/gfx12/buffer.hpp>
#include <r9v/arch/gfx12/convert.hpp>
#include <r9v/arch/gfx12/fragment.hpp>
#include <r9v/arch/gfx12/math.hpp>
#include <r9v/arch/gfx12/matrix.hpp>
#include <r9v/arch/gfx12/memory.hpp>
#include <r9v/arch/gfx12/packed.hpp>
#include <r9v/arch/gfx12/pairs.hpp>
#endif
