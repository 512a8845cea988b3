// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Workgroups and waves as the hardware hands them to a kernel.
#pragma once

#include "wave.hpp"

namespace r9v_emulator {

/// Bytes of scratch a lane gets; kernels with a dynamic stack say no size of their own.
u32 scratch_bytes(const kernel_image& kernel);

/// Makes `g` workgroup `number` of the launch, all waves at the kernel's entry.
void start_group(launch_state& launch, worker& host, group& g, u64 number, bool strict);

} // namespace r9v_emulator
