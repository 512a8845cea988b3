// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// What entry points answer: the last error of each thread, and the sticky error of a device fault.
#pragma once

#include "loader/bytes.hpp"
#include <cstdio>
#include <hip/hip_runtime_api.h>
#include <new>
#include <utility>

namespace r9v_emulator::hip {

/// Remembers an error for hipGetLastError and hands it on.
hipError_t answer(hipError_t error);
/// What hipGetLastError and hipPeekAtLastError answer.
hipError_t last_error(bool clear);
/// Clears the last error of this thread.
void forget_last_error();
/// The error that a device fault left behind: every later call answers it until it is taken.
hipError_t sticky_error();

/// Runs the body of an entry point; exceptions become error codes.
template<class Body>
hipError_t guarded(Body&& body) noexcept {
    try {
        return answer(std::forward<Body>(body)());
    } catch (const loader::load_error& error) {
        std::fprintf(stderr, "r9v-emulator: %s.\n", error.what());
        return answer(hipErrorNoBinaryForGpu);
    } catch (const std::bad_alloc&) {
        return answer(hipErrorOutOfMemory);
    }
}

/// As guarded(), for calls that a broken device refuses.
template<class Body>
hipError_t device_call(Body&& body) noexcept {
    const auto broken = sticky_error();
    if (broken != hipSuccess) return answer(broken);
    const auto result = guarded(std::forward<Body>(body));
    if (result != hipSuccess) return result;
    return hipSuccess;
}

} // namespace r9v_emulator::hip
