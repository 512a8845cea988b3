// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// Owned device memory: pools and what stands before them, buffers, the offline planner.
#pragma once

#include <r9v/runtime/buffer.hpp>
#include <r9v/runtime/gpu_backend.hpp>
#include <r9v/runtime/pool.hpp>
