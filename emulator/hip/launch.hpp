// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Checks, packs and runs kernel launches.
#pragma once

#include "hip/operation.hpp"

namespace r9v_emulator::hip {

/// Which entry point launches: they answer differently to the same mistake.
enum class launch_face { runtime, module };

/// Refuses what the device cannot run, with a line on stderr that says why.
hipError_t check_launch(const function& target, dim3 blocks, dim3 threads, std::size_t dynamic_lds,
                        launch_face face);

/// Copies the caller's arguments, one pointer each, to their places in the argument buffer.
std::vector<std::byte> pack_arguments(const function& target, void** arguments);
/// Takes the caller's whole argument buffer, as HIP_LAUNCH_PARAM_BUFFER_POINTER passes it.
hipError_t pack_buffer(const function& target, void** extra, std::vector<std::byte>& packed);

/// Runs a launch to its end.
void perform(const kernel_operation& work);

/// How many blocks of a kernel one multiprocessor holds at a time.
int resident_blocks(const function& target, unsigned threads, std::size_t dynamic_lds);

} // namespace r9v_emulator::hip
