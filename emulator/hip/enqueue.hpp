// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// The way of all asynchronous entry points: into a stream, or into the graph that it captures.
#pragma once

#include "hip/capture.hpp"

namespace r9v_emulator::hip {

/// Enqueues work on the stream of a handle.
hipError_t enqueue(hipStream_t handle, hipGraphNodeType type, operation work);
/// Enqueues a copy, which holds pageable memory only as long as a caller may expect.
hipError_t enqueue_copy(hipStream_t handle, hipGraphNodeType type, copy_operation work);

/// A copy or fill that is done when the call returns, in the order of the null stream.
hipError_t copy_now(copy_operation work);
hipError_t fill_now(const fill_operation& work);
hipError_t fill_later(hipStream_t handle, const fill_operation& work);

} // namespace r9v_emulator::hip
