// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Owned device memory: pools, and buffers and tensors from them. What stands before a pool or looks
// at it is in memory_tools.hpp.
#pragma once

#include <r9v/runtime/buffer.hpp>
#include <r9v/runtime/direct_memory.hpp>
#include <r9v/runtime/gpu_backend.hpp>
#include <r9v/runtime/pool.hpp>
