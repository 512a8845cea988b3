// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
#pragma once

#include "hip/operation.hpp"
#include <cstddef>
#include <hip/hip_runtime_api.h>

namespace r9v_emulator::hip {

/// The device address of bytes of a `__device__` variable.
hipError_t symbol_range(void*& result, const void* symbol, std::size_t bytes, std::size_t offset);

/// The copy that a 3D description without arrays means.
hipError_t box(copy_operation& work, const hipMemcpy3DParms* description);

} // namespace r9v_emulator::hip
