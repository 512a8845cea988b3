// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Copies and fills between host, registered host and device memory.
#pragma once

#include "hip/operation.hpp"

namespace r9v_emulator::hip {

/// Refuses copies that leave an allocation or contradict their kind.
hipError_t check(const copy_operation& work);
/// Refuses fills of what is not device or registered memory.
hipError_t check(const fill_operation& work);

void perform(const copy_operation& work);
void perform(const fill_operation& work);

/// Whether the host side of a copy is memory that the device cannot reach by itself.
bool reads_pageable(const copy_operation& work);
bool writes_pageable(const copy_operation& work);
/// Copies the source aside, so that the caller may change it while the copy waits.
void stage_source(copy_operation& work);

copy_operation plain_copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind);
fill_operation plain_fill(void* to, std::uint32_t pattern, unsigned pattern_bytes,
                          std::size_t count);

} // namespace r9v_emulator::hip
